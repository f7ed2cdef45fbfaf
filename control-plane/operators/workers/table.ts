// The workers that notify operators of problems.
import type { Limits } from '../../platform/domain/limits.js';
import { type PurgeDeps, purge } from '../../platform/workers/sweeps.js';
import type { Worker } from '../../platform/workers/worker.js';
import { type NoticeWebhookDeps, sendDueNotices } from '../app/notice-webhook.js';
import type { OperatorNotices } from '../app/operator-notices.js';
import { purgeOperatorNotices } from '../store/notices.js';

const CHECK_GAP_MS = 1_000;

export interface OperatorWorkersDeps extends NoticeWebhookDeps, PurgeDeps {
  readonly clock: NoticeWebhookDeps['clock'];
  readonly limits: Limits;
  readonly notices: Pick<OperatorNotices, 'check' | 'announce'>;
}

export function operatorWorkers(deps: OperatorWorkersDeps): readonly Worker[] {
  const { notices, clock } = deps;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let nextAt: number | null = null;
  return [
    {
      name: 'operator-notices',
      readsAll: true,
      wakeOn: ['hosts', 'availability', 'operator-notices'],
      async run() {
        // A check reads all hosts, and each report of a host wakes this worker.
        const gap = CHECK_GAP_MS - (clock.monotonic() - checkedAt);
        if (gap > 0 && (nextAt === null || nextAt > clock.now())) {
          await notices.announce();
          return clock.now() + gap;
        }
        checkedAt = clock.monotonic();
        nextAt = await notices.check();
        await notices.announce();
        return nextAt;
      },
    },
    {
      name: 'operator-webhook',
      wakeOn: ['operator-notices'],
      run: () => sendDueNotices(deps),
    },
    purge(deps, 'operator-notices', deps.limits.records_kept_ms, purgeOperatorNotices),
  ];
}
