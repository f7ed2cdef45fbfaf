import type { Clock } from '../../shared/clock.js';
import { type EndDeps, endLost } from '../app/build-end.js';
import type { KeyedLock } from '../app/keyed-lock.js';
import { type OpenEnd, readOpenEnds } from '../store/build-watch.js';
import { findAnyBuild } from '../store/builds.js';
import { periodWithin, type Worker } from './worker.js';

/**
 * Ends attempts of which the host's last word never comes: a log that does not become whole, a stop that is not
 * confirmed. How long to wait is a matter of networks and of processes that die, so it is counted in real time,
 * and begins anew when this process does.
 */
export function createOpenEnds(deps: EndDeps & { lock: KeyedLock; realClock: Clock }): Worker {
  const { store, limits, lock, realClock } = deps;
  let since = new Map<string, number>();

  const limitOf = (end: OpenEnd) => (end.resultKept ? limits.log_lost_after_ms : limits.host_lost_after_ms);
  const giveUp = (end: OpenEnd) =>
    lock.run(end.buildId, async () => {
      const build = await findAnyBuild(store, end.buildId);
      if (build?.status !== 'running' || build.attempt !== end.attempt) return;
      await endLost(deps, build, 'log_lost');
    });

  return {
    name: 'open-ends',
    periodMs: periodWithin(Math.min(limits.log_lost_after_ms, limits.host_lost_after_ms)),
    wakeOn: [],
    async run() {
      const now = realClock.now();
      const seen = new Map<string, number>();
      for (const end of await readOpenEnds(store)) {
        const name = `${end.buildId}/${end.attempt}/${end.resultKept}`;
        const first = since.get(name) ?? now;
        seen.set(name, first);
        if (now - first >= limitOf(end)) await giveUp(end);
      }
      since = seen;
      return null;
    },
  };
}
