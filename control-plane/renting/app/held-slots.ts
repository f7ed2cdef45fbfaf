import type { Queries } from '../../platform/store/sql.js';
import { countHeldSlots } from '../store/slot-use.js';

/** Returns the number of slots that have a Mac of the account or are held by its unpaid orders. */
export function heldSlotsOf(q: Queries, accountId: number): Promise<number> {
  return countHeldSlots(q, accountId);
}
