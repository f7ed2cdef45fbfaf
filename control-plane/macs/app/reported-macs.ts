// The last reported Macs of every connected host, by slot. In memory only: a host reports all of its Macs when it
// connects, and changes afterwards.
import type { MacFact } from '../../../shared/protocol/index.js';

/** Larger than the number of slots of any host; reports of slots beyond are dropped. */
const MOST_SLOTS = 1000;

export type ReportedMacs = ReturnType<typeof createReportedMacs>;

export function createReportedMacs() {
  const hosts = new Map<string, Map<string, MacFact>>();
  return {
    /** @param all the list is complete and replaces earlier reports */
    take(hostId: string, facts: readonly MacFact[], all: boolean): void {
      const known = hosts.get(hostId);
      // Reports before the complete list say nothing about other slots.
      if (!known && !all) return;
      const slots = known && !all ? known : new Map<string, MacFact>();
      for (const fact of facts) {
        if (slots.has(fact.slot_id) || slots.size < MOST_SLOTS) slots.set(fact.slot_id, fact);
      }
      hosts.set(hostId, slots);
    },
    /** Returns null if the host has not connected to this process yet. */
    of: (hostId: string): ReadonlyMap<string, MacFact> | null => hosts.get(hostId) ?? null,
  };
}
