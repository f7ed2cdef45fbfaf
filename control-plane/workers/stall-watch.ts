import { type ChangeDeps, recordEvents } from '../app/build-changes.js';
import { readQueueState } from '../app/queue.js';
import type { Build } from '../domain/build.js';
import type { Limits } from '../domain/limits.js';
import { placesOf } from '../domain/places.js';
import { stallOf, stallsAt } from '../domain/stall.js';
import {
  markStalled,
  oldestUnstalledQueued,
  readUnstalledQueued,
  readUnstalledRunning,
} from '../store/build-watch.js';
import type { Store, Transaction } from '../store/sql.js';
import { periodWithin, type Worker } from './worker.js';

/** Tells, once per build and reason, of builds that wait too long or print nothing. */
export function createStallWatch(deps: ChangeDeps & { store: Store; limits: Limits }): Worker {
  const { store, clock, limits } = deps;

  const waitReasonOf = async (tx: Transaction, build: Build, now: number) => {
    if (build.status !== 'queued') return null;
    const places = placesOf(await readQueueState(tx, build.accountId, limits), now, limits);
    return places.get(build.buildId)?.waitReason ?? null;
  };
  const tell = async (tx: Transaction, builds: readonly Build[], now: number) => {
    for (const seen of builds) {
      const stall = stallOf(seen, now, limits);
      const marked = stall && (await markStalled(tx, seen, stall.reason));
      if (!marked) continue;
      const waitReason = await waitReasonOf(tx, marked.build, now);
      await recordEvents(tx, deps, marked.build, marked.sequence, ['build.stalled'], { stall, waitReason });
    }
    return builds.length > 0;
  };
  const tellQueued = () =>
    store.transaction(async (tx) => {
      const now = clock.now();
      return tell(tx, await readUnstalledQueued(tx, now - limits.stall_queued_ms), now);
    });

  return {
    name: 'stall-watch',
    periodMs: periodWithin(Math.min(limits.stall_queued_ms, limits.stall_silence_ms)),
    wakeOn: [],
    async run() {
      const now = clock.now();
      const running = await readUnstalledRunning(store);
      if (running.some((build) => stallOf(build, now, limits))) {
        await store.transaction(async (tx) => tell(tx, await readUnstalledRunning(tx), now));
      }
      let oldest = await oldestUnstalledQueued(store);
      if (oldest !== null && oldest + limits.stall_queued_ms <= now) {
        while (await tellQueued());
        oldest = await oldestUnstalledQueued(store);
      }
      const next = running
        .map((build) => stallsAt(build, limits))
        .filter((at) => at !== null)
        .concat(oldest === null ? [] : oldest + limits.stall_queued_ms)
        .filter((at) => at > now);
      return next.length > 0 ? Math.min(...next) : null;
    },
  };
}
