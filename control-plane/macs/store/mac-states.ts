// The history of states of Macs. `macs.ts` and `making.ts` write an entry in the transaction that changes the Mac, so the newest
// entry is always the current state. The caller gives the cause, because a state does not tell why a Mac is in it.
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import type { MacState } from '../domain/mac.js';
import { type MacChange, type MacStateEntry, macStateFields } from '../domain/mac-state.js';

export const macStates = table('mac_states', macStateFields);

/** Must be called in the transaction that changes the Mac. */
export async function recordState(
  tx: Transaction,
  rentalId: string,
  state: MacState,
  change: MacChange,
): Promise<void> {
  await macStates.insert(tx, { rentalId, state, ...change });
}

/** Returns entries of a Mac, newest first; only those before `before`, if given. */
export function readStates(
  q: Queries,
  rentalId: string,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<MacStateEntry[]> {
  const older = before === null ? '' : 'AND seq < :before';
  return macStates.all(q, `WHERE rental_id = :rentalId ${older} ORDER BY seq DESC LIMIT :limit`, {
    rentalId,
    limit,
    ...(before === null ? {} : { before }),
  });
}

/** Deletes old entries, except the one of the current state. */
export const purgeStates = purgeOf('mac_states', {
  key: 'seq',
  expired: `at <= :before AND (
    EXISTS (SELECT 1 FROM mac_states n WHERE n.rental_id = mac_states.rental_id AND n.seq > mac_states.seq)
    OR EXISTS (SELECT 1 FROM macs m WHERE m.rental_id = mac_states.rental_id AND m.state = 'ended'))`,
  by: 'at',
});
