import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import { type ChangeDeps, changeBuildStatus } from '../app/build-changes.js';
import { oldestQueued, readQueuedSince } from '../store/build-watch.js';

/** Expires builds that have waited too long since their creation. */
export function createQueueExpiry(deps: ChangeDeps & { store: Store; limits: Limits }): Worker {
  const lifetime = deps.limits.build_queue_expiry_ms;

  /** Returns false if there was nothing left to do. */
  const expireSome = () =>
    deps.store.transaction(async (tx) => {
      const now = deps.clock.now();
      const due = await readQueuedSince(tx, now - lifetime);
      for (const build of due) {
        await changeBuildStatus(tx, deps, build, 'expire', { endedAt: now, endReason: 'queue_timeout' });
      }
      return due.length > 0;
    });

  return {
    name: 'queue-expiry',
    periodMs: periodWithin(lifetime),
    async run() {
      const oldest = await oldestQueued(deps.store);
      if (oldest === null) return null;
      if (oldest + lifetime > deps.clock.now()) return oldest + lifetime;
      while (await expireSome());
      const next = await oldestQueued(deps.store);
      return next === null ? null : next + lifetime;
    },
  };
}
