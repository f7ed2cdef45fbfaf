// Builds the facts about Macs that this host reports.
import { countOf } from '../../../shared/count.js';
import type { DesiredMac, MacFact } from '../../../shared/protocol/index.js';
import type { HostMac } from '../../driver/driver.js';
import type { ChangeFailure } from './change-failures.js';
import type { SlotChange } from './slot-change.js';

const quiet = { progress: null, refused: null, error: null } as const;

/** Returns the fact of a Mac that exists; `preparing` when it is incomplete, or switched off. */
export function presentFact({ slot_id, record, image_digest, stopped }: HostMac): MacFact {
  if (!record) {
    const unknown = { rental_id: null, generation: 0, revision: 0, xcode: null };
    return { slot_id, ...unknown, state: 'preparing', ...quiet };
  }
  const { rental_id, generation, revision, xcode } = record;
  const state = stopped ? 'preparing' : 'ready';
  const made = image_digest === undefined ? {} : { image_digest };
  return { slot_id, rental_id, generation, revision, state, xcode, ...made, ...quiet };
}

/** Returns the fact of a Mac that should exist, from its desire alone. */
export function desiredFact(mac: DesiredMac, state: MacFact['state']): MacFact {
  const { slot_id, rental_id, generation, revision } = mac;
  return { slot_id, rental_id, generation, revision, state, xcode: null, ...quiet };
}

/**
 * Returns one fact per slot: what exists, overridden by changes in progress, then by failed changes, then by the Macs
 * beyond the configured number of slots.
 */
export function slotFacts(
  present: readonly HostMac[],
  slots: {
    changing: ReadonlyMap<string, SlotChange>;
    failures: Iterable<readonly [string, ChangeFailure]>;
    beyond: readonly DesiredMac[];
    limit: number;
  },
): MacFact[] {
  const facts = new Map(present.map((mac) => [mac.slot_id, presentFact(mac)]));
  for (const [slotId, { desired, disturbs, progress }] of slots.changing) {
    if (desired && disturbs) facts.set(slotId, { ...desiredFact(desired, 'preparing'), progress });
  }
  for (const [slotId, { desired, works, error, errorCode: error_code, refused }] of slots.failures) {
    const fact = facts.get(slotId);
    if (!desired || slots.changing.has(slotId)) continue;
    if (works && fact) facts.set(slotId, { ...fact, error, error_code, refused });
    // Until it is refused, the Mac is only late.
    else {
      const state = refused ? 'failed' : 'preparing';
      facts.set(slotId, { ...desiredFact(desired, state), error, error_code, refused });
    }
  }
  for (const mac of slots.beyond) {
    const error = `this host is configured for ${countOf(slots.limit, 'Mac')}`;
    facts.set(mac.slot_id, { ...desiredFact(mac, 'failed'), error, error_code: 'beyond_slots' });
  }
  return [...facts.values()];
}
