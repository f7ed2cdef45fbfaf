// What goes out because of an event: webhooks, notify_url, statuses of commits.
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import { type CommitStatusesDeps, createCommitStatuses } from '../events/app/commit-statuses.js';
import { createDeliveries } from '../events/app/deliveries.js';
import { createDeliveryAttempts } from '../events/app/delivery-attempts.js';
import { createWebhooks } from '../events/app/webhooks.js';
import { createCommitStatusWorker } from '../events/workers/commit-status.js';
import { createDeliveryPurge } from '../events/workers/delivery-purge.js';
import { createEventFanout } from '../events/workers/event-fanout.js';
import { createWebhookDelivery } from '../events/workers/webhook-delivery.js';
import type { Vault } from '../platform/app/vault.js';
import type { Limits } from '../platform/domain/limits.js';
import type { PublicFetch } from '../platform/outbound/public-fetch.js';
import type { Worker } from '../platform/workers/worker.js';
import { createDeliveryCensus } from '../start/app/delivery-census.js';

export interface ComposeWebhooksDeps extends CommitStatusesDeps {
  /** Network time and the dates that receivers name do not follow the test clock. */
  readonly realClock: Clock;
  readonly vault: Vault;
  readonly limits: Limits;
  readonly publicFetch: PublicFetch;
  readonly log: Log;
}

export function composeWebhooks(deps: ComposeWebhooksDeps) {
  const commitStatuses = createCommitStatuses(deps);
  const attempts = createDeliveryAttempts(deps);
  const workers: readonly Worker[] = [
    createEventFanout({ ...deps, wantCommitStatus: commitStatuses.want }),
    createWebhookDelivery({ ...deps, attempts }),
    createCommitStatusWorker({ ...deps, commitStatuses }),
    createDeliveryPurge(deps),
  ];
  const census = createDeliveryCensus({ ...deps, attempts });
  return {
    ...{ workers, census, commitStatuses },
    webhooks: createWebhooks(deps),
    deliveries: createDeliveries(deps),
  };
}
