import type { Core } from '../../platform/app/core.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Wake } from '../../platform/wake.js';
import type { Worker } from '../../platform/workers/worker.js';
import type { CommitStatuses } from '../app/commit-statuses.js';
import type { WantedStatus } from '../store/commit-statuses.js';

export interface CommitStatusWorkerDeps extends Pick<Core, 'clock' | 'log'> {
  readonly wake: Pick<Wake, 'wakeHere'>;
  readonly commitStatuses: CommitStatuses;
  readonly limits: Pick<Limits, 'commit_statuses_at_once'>;
}

/** Posts statuses of commits, several concurrently. */
export function createCommitStatusWorker(deps: CommitStatusWorkerDeps): Worker {
  const { commitStatuses, clock, wake, limits, log } = deps;
  const underWay = new Map<string, Promise<void>>();

  const write = async (wanted: WantedStatus) => {
    try {
      await commitStatuses.attempt(wanted);
    } catch (error) {
      // Retried when its claim expires.
      log.error({ err: error, build: wanted.buildId }, 'failed to record a commit status');
    }
    underWay.delete(wanted.buildId);
    wake.wakeHere('commit-statuses');
  };

  return {
    name: 'commit-status',
    wakeOn: ['commit-statuses'],
    async run() {
      // Read first: what becomes due during the run is found by the next one.
      const now = clock.now();
      const room = limits.commit_statuses_at_once - underWay.size;
      const claimed = room > 0 ? await commitStatuses.claim(room, new Set(underWay.keys())) : [];
      for (const wanted of claimed) underWay.set(wanted.buildId, write(wanted));
      return commitStatuses.nextDueAt(now);
    },
    underWay: () => (underWay.size > 0 ? Promise.all(underWay.values()) : null),
    // Requests to code hosts have a timeout.
    stop: async () => void (await Promise.all(underWay.values())),
  };
}
