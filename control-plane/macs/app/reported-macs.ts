// The last reported Macs of every connected host, by slot. In memory only: a host reports all of its Macs when it
// connects, and changes afterwards.
import type { MacFact } from '../../../shared/protocol/index.js';

/** Larger than the number of slots of any host; reports of slots beyond are dropped. */
const MOST_SLOTS = 1000;

export interface ReportedMacs {
  /** @param all the list is complete and replaces earlier reports */
  take(hostId: string, facts: readonly MacFact[], all: boolean): void;
  /** Returns null if the host has not connected to this process yet. */
  of(hostId: string): ReadonlyMap<string, MacFact> | null;
}

export function createReportedMacs(): ReportedMacs {
  const hosts = new Map<string, Map<string, MacFact>>();
  return {
    take(hostId, facts, all) {
      const known = hosts.get(hostId);
      // Reports before the complete list say nothing about other slots.
      if (!known && !all) return;
      const slots = known && !all ? known : new Map<string, MacFact>();
      for (const fact of facts) {
        if (slots.has(fact.slot_id) || slots.size < MOST_SLOTS) slots.set(fact.slot_id, fact);
      }
      hosts.set(hostId, slots);
    },
    of: (hostId) => hosts.get(hostId) ?? null,
  };
}
