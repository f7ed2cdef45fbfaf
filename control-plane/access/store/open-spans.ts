// Times of people from which spans are measured; see platform/app/clock-steps.ts.
import type { Transaction } from '../../platform/store/sql.js';

/**
 * After a step of the service's clock: moves by `ms` the times at which sessions were last used and confirmed, the last wrong
 * code was entered, and the last link for a new password was mailed.
 */
export async function shiftSignIns(tx: Transaction, ms: number): Promise<void> {
  await tx.run('UPDATE sessions SET seen_at = seen_at + :ms, confirmed_at = confirmed_at + :ms', { ms });
  await tx.run('UPDATE totp_secrets SET failed_at = failed_at + :ms WHERE failures > 0', { ms });
  await tx.run('UPDATE password_resets SET created_at = created_at + :ms', { ms });
}
