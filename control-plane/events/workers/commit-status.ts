import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Wake } from '../../platform/wake.js';
import type { Worker } from '../../platform/workers/worker.js';
import type { CommitStatuses } from '../app/commit-statuses.js';
import type { WantedStatus } from '../store/commit-statuses.js';

export interface CommitStatusWorkerDeps {
  readonly commitStatuses: CommitStatuses;
  readonly clock: Clock;
  readonly wake: Pick<Wake, 'wake'>;
  readonly limits: Pick<Limits, 'commit_statuses_at_once'>;
  readonly log: Log;
}

/** Writes statuses of commits, a few at once. */
export function createCommitStatusWorker(deps: CommitStatusWorkerDeps): Worker {
  const { commitStatuses, clock, wake, limits, log } = deps;
  const underWay = new Map<string, Promise<void>>();

  const write = async (wanted: WantedStatus) => {
    try {
      await commitStatuses.attempt(wanted);
    } catch (error) {
      // Its claim runs out, and it is written then.
      log.error({ err: error, build: wanted.buildId }, 'the status of a commit could not be written down');
    }
    underWay.delete(wanted.buildId);
    wake.wake('commit-statuses');
  };

  return {
    name: 'commit-status',
    wakeOn: ['commit-statuses'],
    async run() {
      // Taken first: what falls due during the run is the next to be looked for.
      const now = clock.now();
      const room = limits.commit_statuses_at_once - underWay.size;
      const claimed = room > 0 ? await commitStatuses.claim(room, new Set(underWay.keys())) : [];
      for (const wanted of claimed) underWay.set(wanted.buildId, write(wanted));
      return commitStatuses.nextDueAt(now);
    },
    underWay: () => (underWay.size > 0 ? Promise.all(underWay.values()) : null),
    // Code hosts answer within their time limit, or not at all.
    stop: async () => void (await Promise.all(underWay.values())),
  };
}
