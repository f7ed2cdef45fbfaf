// Times of hosts from which spans are measured; see platform/app/clock-steps.ts.
import type { Transaction } from '../../platform/store/sql.js';

/**
 * Moves by `ms`, after a step of the service's clock: when hosts were last seen, when their upgrades began, and until
 * when others wait for the canaries.
 */
export async function shiftHosts(tx: Transaction, ms: number): Promise<void> {
  await tx.run(`UPDATE hosts SET last_seen_at = last_seen_at + :ms WHERE status <> 'removed'`, { ms });
  await tx.run(`UPDATE rollout_hosts SET started_at = started_at + :ms WHERE ended_at IS NULL`, { ms });
  await tx.run(`UPDATE rollouts SET soak_until = soak_until + :ms WHERE status = 'running'`, { ms });
}
