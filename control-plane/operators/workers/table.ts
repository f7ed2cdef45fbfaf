// The workers that tell operators what is wrong.
import type { Limits } from '../../platform/domain/limits.js';
import { type PurgeDeps, purge } from '../../platform/workers/sweeps.js';
import type { Worker } from '../../platform/workers/worker.js';
import { type NoticeWebhookDeps, sendDueNotices } from '../app/notice-webhook.js';
import type { OperatorNotices } from '../app/operator-notices.js';
import { purgeOperatorNotices } from '../store/notices.js';

export interface OperatorWorkersDeps extends NoticeWebhookDeps, PurgeDeps {
  readonly clock: NoticeWebhookDeps['clock'];
  readonly limits: Limits;
  readonly notices: Pick<OperatorNotices, 'check' | 'announce'>;
}

export function operatorWorkers(deps: OperatorWorkersDeps): readonly Worker[] {
  const { notices } = deps;
  return [
    {
      name: 'operator-notices',
      wakeOn: ['hosts', 'availability', 'operator-notices'],
      async run() {
        const nextAt = await notices.check();
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
