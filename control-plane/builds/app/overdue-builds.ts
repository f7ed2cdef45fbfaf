// Ends builds whose time is over.
import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import { oldestQueued, readOverdue, readQueuedSince } from '../store/build-watch.js';
import { type ChangeDeps, changeBuildStatus } from './build-changes.js';
import { stopRunning } from './build-end.js';

/**
 * Stops builds that have exceeded their timeout; their hosts enforce it too, by their own clocks.
 *
 * @returns when the next one will have
 */
export async function stopOverdue(deps: ChangeDeps & { store: Store }): Promise<number | null> {
  const { overdue, nextAt } = await readOverdue(deps.store, deps.clock.now());
  for (const build of overdue) {
    await deps.store.transaction((tx) => stopRunning(tx, deps, build, 'timeout'));
  }
  return nextAt;
}

export interface QueueExpiryDeps extends ChangeDeps {
  readonly store: Store;
  readonly limits: Pick<Limits, 'build_queue_expiry_ms'>;
}

/**
 * Expires builds that have waited too long since their creation.
 *
 * @returns when the oldest of those that wait will have
 */
export async function expireQueued(deps: QueueExpiryDeps): Promise<number | null> {
  const lifetime = deps.limits.build_queue_expiry_ms;
  const oldest = await oldestQueued(deps.store);
  if (oldest === null) return null;
  if (oldest + lifetime > deps.clock.now()) return oldest + lifetime;
  while (await expireSome(deps));
  const next = await oldestQueued(deps.store);
  return next === null ? null : next + lifetime;
}

/** Returns false if there was nothing left to do. */
const expireSome = (deps: QueueExpiryDeps) =>
  deps.store.transaction(async (tx) => {
    const now = deps.clock.now();
    const due = await readQueuedSince(tx, now - deps.limits.build_queue_expiry_ms);
    for (const build of due) {
      await changeBuildStatus(tx, deps, build, 'expire', { endedAt: now, endReason: 'queue_timeout' });
    }
    return due.length > 0;
  });
