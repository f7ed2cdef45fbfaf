// When payments and refunds are fetched again; see platform/app/clock-steps.ts.
import type { Transaction } from '../../platform/store/sql.js';

/**
 * Moves by `ms`, after a step of the service's clock: the times of the next requests to the provider, and since when
 * their outcome is awaited.
 */
export async function shiftPaymentRequests(tx: Transaction, ms: number): Promise<void> {
  await tx.run('UPDATE payments SET fetch_at = fetch_at + :ms, asked_at = asked_at + :ms WHERE fetch_at IS NOT NULL', {
    ms,
  });
  await tx.run(
    `UPDATE payment_cancellations SET next_attempt_at = next_attempt_at + :ms WHERE next_attempt_at IS NOT NULL`,
    { ms },
  );
}
