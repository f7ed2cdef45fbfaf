import type { Queries } from '../../platform/store/sql.js';
import { countHeldSlots } from '../store/slot-use.js';

/** Returns the slots that an account has Macs in, or holds with unpaid orders. */
export function heldSlotsOf(q: Queries, accountId: number): Promise<number> {
  return countHeldSlots(q, accountId);
}
