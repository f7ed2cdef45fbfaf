// Times of Macs from which spans are measured; see platform/app/clock-steps.ts.
import type { Transaction } from '../../platform/store/sql.js';

/**
 * Moves the times of Macs, their jobs and image pulls from which spans are measured by `ms`, after a step of the
 * service's clock.
 *
 * @param newMacWindowMs how long a new VM counts towards the limits of new VMs
 */
export async function shiftMacs(tx: Transaction, ms: number, newMacWindowMs: number): Promise<void> {
  await tx.run(
    `UPDATE macs SET preparing_since = preparing_since + :ms, away_since = away_since + :ms,
       repair_at = repair_at + :ms WHERE state <> 'ended'`,
    { ms },
  );
  await tx.run(
    `UPDATE jobs SET created_at = created_at + :ms, started_at = started_at + :ms, ended_at = ended_at + :ms
     WHERE status = 'running' OR created_at > (SELECT MAX(created_at) FROM jobs) - :newMacWindowMs`,
    { ms, newMacWindowMs },
  );
  await tx.run(`UPDATE image_pulls SET started_at = started_at + :ms WHERE ended_at IS NULL`, { ms });
}
