// What every connected host has last reported of its Macs, by slot. In memory only: a host names all of them when it
// connects, and what changes after that.
import type { MacFact } from '../../../shared/protocol/index.js';

export interface ReportedMacs {
  /** @param all these are all Macs of the host, so that what it reported before is void */
  take(hostId: string, facts: readonly MacFact[], all: boolean): void;
  /** Null when the host has not connected to this process yet. */
  of(hostId: string): ReadonlyMap<string, MacFact> | null;
}

export function createReportedMacs(): ReportedMacs {
  const hosts = new Map<string, Map<string, MacFact>>();
  return {
    take(hostId, facts, all) {
      const known = hosts.get(hostId);
      // What comes before the whole list says nothing about the rest.
      if (!known && !all) return;
      const slots = known && !all ? known : new Map<string, MacFact>();
      for (const fact of facts) slots.set(fact.slot_id, fact);
      hosts.set(hostId, slots);
    },
    of: (hostId) => hosts.get(hostId) ?? null,
  };
}
