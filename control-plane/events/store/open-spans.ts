// When deliveries and commit statuses are tried again; see platform/app/clock-steps.ts.
import type { Transaction } from '../../platform/store/sql.js';

/** Moves the times of the next attempts by `ms`, after a step of the service's clock. */
export async function shiftAttempts(tx: Transaction, ms: number): Promise<void> {
  await tx.run(`UPDATE deliveries SET due_at = due_at + :ms WHERE status = 'pending' AND due_at IS NOT NULL`, { ms });
  await tx.run('UPDATE commit_statuses SET due_at = due_at + :ms WHERE due_at IS NOT NULL', { ms });
}
