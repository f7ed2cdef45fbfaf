// Times of problems and their notices; see platform/app/clock-steps.ts.
import type { Transaction } from '../../platform/store/sql.js';

/**
 * Moves by `ms`, after a step of the service's clock: how long problems have lasted, and when their notices are sent
 * again.
 */
export async function shiftNotices(tx: Transaction, ms: number): Promise<void> {
  await tx.run(`UPDATE operator_notices SET due_at = due_at + :ms WHERE webhook = 'pending'`, { ms });
  await tx.run(
    `UPDATE operator_problems SET seen_at = seen_at + :ms, begun_at = begun_at + :ms, gone_at = gone_at + :ms
     WHERE ended_at IS NULL`,
    { ms },
  );
}
