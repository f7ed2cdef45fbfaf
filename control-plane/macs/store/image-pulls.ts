// Requests of operators that hosts fetch the image of a tier: the last one for each host and tier.
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type ImagePull, imagePullFields } from '../domain/image-pull.js';

export const imagePulls = table('image_pulls', imagePullFields);

const put = imagePulls.inserter({
  onConflict: `ON CONFLICT (host_id, tier) DO UPDATE
    SET ${imagePulls.excluded('status', 'error', 'errorMessage', 'createdAt', 'startedAt', 'endedAt')}`,
});

/** Queues a pull, in place of an earlier one of this host and tier. */
export async function queuePull(
  tx: Transaction,
  pull: Pick<ImagePull, 'hostId' | 'tier' | 'createdAt'>,
): Promise<void> {
  await put(tx, {
    ...pull,
    status: 'queued',
    error: null,
    errorMessage: null,
    startedAt: null,
    endedAt: null,
  });
}

/** Forgets the pulls of this tier that have ended. */
export async function forgetEndedPulls(tx: Transaction, tier: string): Promise<void> {
  await tx.run(`DELETE FROM image_pulls WHERE tier = :tier AND status IN ('done', 'failed')`, { tier });
}

/** Returns pulls that have not ended, in the order of their turns. */
export function readOpenPulls(q: Queries): Promise<ImagePull[]> {
  return imagePulls.all(q, `WHERE status IN ('queued', 'running') ORDER BY created_at, tier, host_id`);
}

/** Returns the last pull of each host. */
export function readPullsOf(q: Queries, tier: string): Promise<ImagePull[]> {
  return imagePulls.all(q, 'WHERE tier = :tier ORDER BY created_at, host_id', { tier });
}

/** Returns the tiers whose image the host should fetch now. */
export async function readRunningPulls(q: Queries, hostId: string): Promise<Set<string>> {
  const running = await imagePulls.all(q, `WHERE host_id = :hostId AND status = 'running'`, { hostId });
  return new Set(running.map(({ tier }) => tier));
}

/** Changes a pull if it is still in the status that was read; otherwise returns false. */
export async function changePull(
  tx: Transaction,
  { hostId, tier, status, createdAt }: ImagePull,
  changes: Partial<Pick<ImagePull, 'status' | 'error' | 'errorMessage' | 'startedAt' | 'endedAt'>>,
): Promise<boolean> {
  return (await imagePulls.update(tx, { hostId, tier, status, createdAt }, changes)) === 1;
}
