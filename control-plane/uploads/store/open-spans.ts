// When contents are collected; see platform/app/clock-steps.ts.
import type { Transaction } from '../../platform/store/sql.js';

/**
 * Moves the time of each account's last collection by `ms`, after a step of the service's clock, and at least to
 * `atLeast`: the times at which contents were stored are not moved, because there are too many.
 */
export async function shiftCollections(
  tx: Transaction,
  { ms, atLeast }: { readonly ms: number; readonly atLeast: number },
): Promise<void> {
  await tx.run(
    `UPDATE blob_accounts
     SET collected_at = CASE WHEN collected_at + :ms < :atLeast THEN :atLeast ELSE collected_at + :ms END`,
    { ms, atLeast },
  );
}
