// When people confirmed who they are; see platform/app/clock-steps.ts.
import type { Transaction } from '../../platform/store/sql.js';

/** Moves since when confirmations count by `ms`, after a step of the service's clock. */
export async function shiftConfirmations(tx: Transaction, ms: number): Promise<void> {
  await tx.run('UPDATE sessions SET confirmed_at = confirmed_at + :ms WHERE confirmed_at IS NOT NULL', { ms });
}
