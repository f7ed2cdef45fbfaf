// Times of people from which spans are measured; see platform/app/clock-steps.ts.
import type { Transaction } from '../../platform/store/sql.js';

/**
 * Moves since when sessions are idle and confirmations count, when a wrong code was entered last, and when a link for a new
 * password was mailed last, by `ms`, after a step of the service's clock.
 */
export async function shiftSignIns(tx: Transaction, ms: number): Promise<void> {
  await tx.run('UPDATE sessions SET seen_at = seen_at + :ms, confirmed_at = confirmed_at + :ms', { ms });
  await tx.run('UPDATE totp_secrets SET failed_at = failed_at + :ms WHERE failures > 0', { ms });
  await tx.run('UPDATE password_resets SET created_at = created_at + :ms', { ms });
}
