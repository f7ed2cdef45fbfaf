import type { Clock } from '../../../shared/clock.js';
import type { KeyedLock } from '../../platform/app/keyed-lock.js';
import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import { type EndDeps, endLost } from '../app/build-end.js';
import { type OpenEnd, readOpenEnds } from '../store/build-watch.js';
import { findAnyBuild } from '../store/builds.js';

export interface OpenEndsDeps extends EndDeps {
  readonly lock: KeyedLock;
  readonly realClock: Clock;
}

interface Waiting {
  /** When this process first saw the unfinished attempt, and when its log last grew; monotonic, ms. */
  readonly since: number;
  readonly quietSince: number;
  readonly logBytes: number;
}

/**
 * Ends attempts whose final report never arrives: an incomplete log, or an unconfirmed stop. The wait covers network
 * outages and killed processes, so it is counted in real time and restarts with this process. Runs on the real clock.
 */
export function createOpenEnds(deps: OpenEndsDeps): Worker {
  const { store, limits, lock, logs, realClock } = deps;
  let waiting = new Map<string, Waiting>();

  /**
   * A connected host that sends nothing about a stopped build gets the stop time and a grace period. One that is
   * disconnected, or still sends the log, gets the longest allowed disconnection.
   */
  const dueAt = (end: OpenEnd, { since, quietSince }: Waiting): number => {
    if (end.resultKept) return since + limits.log_lost_after_ms;
    const atLatest = since + limits.host_lost_after_ms;
    const quiet = quietSince + limits.kill_grace_ms + limits.stop_unconfirmed_ms;
    return end.hostConnected ? Math.min(atLatest, quiet) : atLatest;
  };
  const giveUp = (end: OpenEnd) =>
    lock.run(end.buildId, async () => {
      const build = await findAnyBuild(store, end.buildId);
      if (build?.status !== 'running' || build.attempt !== end.attempt) return;
      await endLost(deps, build, end.resultKept ? 'log_lost' : 'unconfirmed');
    });

  const shortest = Math.min(limits.log_lost_after_ms, limits.host_lost_after_ms, limits.stop_unconfirmed_ms);
  return {
    name: 'open-ends',
    periodMs: periodWithin(shortest),
    wakeOn: ['running'],
    async run() {
      const now = realClock.monotonic();
      const seen = new Map<string, Waiting>();
      let nextAt: number | null = null;
      for (const end of await readOpenEnds(store)) {
        const name = `${end.buildId}/${end.attempt}/${end.resultKept}`;
        const { length: logBytes } = await logs.size(end.buildId);
        const before = waiting.get(name) ?? { since: now, quietSince: now, logBytes };
        const present = before.logBytes === logBytes ? before : { ...before, quietSince: now, logBytes };
        const due = dueAt(end, present);
        if (now >= due) {
          await giveUp(end);
          continue;
        }
        seen.set(name, present);
        nextAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, due);
      }
      waiting = seen;
      return nextAt === null ? null : realClock.now() + nextAt - now;
    },
  };
}
