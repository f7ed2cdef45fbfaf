// How a Mac is told of.
import type { DesiredMac, MacFact } from '../../../shared/protocol/index.js';
import type { HostMac } from '../../driver/driver.js';

const quiet = { progress: null, refused: null, error: null } as const;

/** One that the host has; `preparing` when making or removing it broke off. */
export function presentFact({ slot_id, record }: HostMac): MacFact {
  if (!record) {
    return {
      slot_id,
      rental_id: null,
      generation: 0,
      revision: 0,
      state: 'preparing',
      xcode: null,
      ...quiet,
    };
  }
  const { rental_id, generation, revision, xcode } = record;
  return { slot_id, rental_id, generation, revision, state: 'ready', xcode, ...quiet };
}

/** One that the host is to have, by what is known of the desire. */
export function desiredFact(mac: DesiredMac, state: MacFact['state']): MacFact {
  const { slot_id, rental_id, generation, revision } = mac;
  return { slot_id, rental_id, generation, revision, state, xcode: null, ...quiet };
}
