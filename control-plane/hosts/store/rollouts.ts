// Rollouts of agent versions, and the hosts of each.
import { int } from '../../platform/domain/fields.js';
import type { Queries } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type Rollout, type RolloutHost, rolloutFields, rolloutHostFields } from '../domain/rollout.js';

export const rollouts = table('rollouts', rolloutFields, { seq: int() });
export const rolloutHosts = table('rollout_hosts', rolloutHostFields);

/** The next in the order of upgrades. */
export const insertRollout = rollouts.inserter<'seq'>({
  computed: { seq: '(SELECT COALESCE(MAX(seq), 0) + 1 FROM rollouts)' },
});

/** Returns the newest rollout, or null. */
export function newestRollout(q: Queries): Promise<Rollout | null> {
  return rollouts.get(q, 'ORDER BY rollouts.seq DESC LIMIT 1');
}

/** Returns the rollout that has not ended, or null; there is never a second one. */
export function runningRollout(q: Queries): Promise<Rollout | null> {
  return rollouts.get(q, `WHERE status = 'running'`);
}

/** Returns the hosts of a rollout in the order of their turns. */
export function hostsOfRollout(q: Queries, rolloutId: string): Promise<RolloutHost[]> {
  return rolloutHosts.all(q, 'WHERE rollout_id = :rolloutId ORDER BY position', { rolloutId });
}

/** Returns the running rollout in which it is the turn of this host; null: in none. */
export function rolloutOfHost(q: Queries, hostId: string): Promise<Rollout | null> {
  return rollouts.get(
    q,
    `JOIN rollout_hosts h ON h.rollout_id = rollouts.rollout_id
     WHERE rollouts.status = 'running' AND h.host_id = :hostId AND h.state = 'upgrading'`,
    { hostId },
  );
}

/** Returns those of the hosts that run builds now. */
export async function hostsWithBuilds(q: Queries): Promise<Set<string>> {
  const rows = await q.all<{ host_id: string }>(
    `SELECT h.host_id FROM hosts h
     WHERE EXISTS (SELECT 1 FROM builds b WHERE b.status = 'running' AND b.host_id = h.host_id)`,
  );
  return new Set(rows.map(({ host_id }) => host_id));
}
