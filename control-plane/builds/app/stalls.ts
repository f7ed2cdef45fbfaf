import type { Clock } from '../../../shared/clock.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import type { Build } from '../domain/build.js';
import { placesOf } from '../domain/places.js';
import { stallOf, stallsAt } from '../domain/stall.js';
import { markStalled, oldestUnstalledQueued, readUnstalledQueued, readUnstalledRunning } from '../store/build-watch.js';
import { type ChangeDeps, recordEvents, wakeOnCommit } from './build-changes.js';
import { readQueueState } from './queue.js';

/** Calls must not overlap. Returns when the next build stalls if it makes no progress until then. */
export type StallWatch = () => Promise<number | null>;

/**
 * Emits one stall event per build and reason for builds that wait too long or print nothing.
 *
 * Silence must also have lasted `stall_confirm_ms` of real time in this process, because builds cannot print during a
 * jump of the service's clock.
 */
export function createStallWatch(deps: ChangeDeps & { store: Store; limits: Limits; realClock: Clock }): StallWatch {
  const { store, clock, realClock, limits } = deps;
  /** Real time since when each (build, attempt, time of last output) has been unchanged. */
  let silences = new Map<string, number>();

  /** Returns those of the silent builds whose silence is confirmed in real time. */
  const confirmed = (running: readonly Build[], now: number) => {
    const seen = new Map<string, number>();
    for (const { buildId, attempt, lastOutputAt } of running) {
      const name = `${buildId}/${attempt}/${lastOutputAt}`;
      seen.set(name, silences.get(name) ?? realClock.monotonic());
    }
    silences = seen;
    const silent = running.filter((build) => stallOf(build, now, limits));
    const sure = silent.filter(({ buildId, attempt, lastOutputAt }) => {
      const since = seen.get(`${buildId}/${attempt}/${lastOutputAt}`) ?? realClock.monotonic();
      return realClock.monotonic() - since >= limits.stall_confirm_ms;
    });
    return { sure, unsure: silent.length > sure.length };
  };

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
      wakeOnCommit(tx, deps.wake, marked.build, false);
    }
    return builds.length > 0;
  };
  const tellQueued = () =>
    store.transaction(async (tx) => {
      const now = clock.now();
      return tell(tx, await readUnstalledQueued(tx, now - limits.stall_queued_ms), now);
    });

  return async () => {
    const now = clock.now();
    const running = await readUnstalledRunning(store);
    const { sure, unsure } = confirmed(running, now);
    if (sure.length > 0) {
      const names = new Set(sure.map(({ buildId, lastOutputAt }) => `${buildId}/${lastOutputAt}`));
      await store.transaction(async (tx) => {
        const still = await readUnstalledRunning(tx);
        const silent = still.filter(({ buildId, lastOutputAt }) => names.has(`${buildId}/${lastOutputAt}`));
        return tell(tx, silent, now);
      });
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
      .concat(unsure ? now + limits.stall_confirm_ms : [])
      .filter((at) => at > now);
    return next.length > 0 ? Math.min(...next) : null;
  };
}
