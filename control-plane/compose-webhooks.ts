// What goes out because of an event: webhooks, notify_url, statuses of commits.
import type { Clock } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import { type CommitStatusesDeps, createCommitStatuses } from './app/commit-statuses.js';
import { createDeliveries } from './app/deliveries.js';
import { createDeliveryAttempts } from './app/delivery-attempts.js';
import { createDeliveryCensus } from './app/delivery-census.js';
import type { Vault } from './app/vault.js';
import { createWebhooks } from './app/webhooks.js';
import type { Limits } from './domain/limits.js';
import type { PublicFetch } from './outbound/public-fetch.js';
import { createCommitStatusWorker } from './workers/commit-status.js';
import { createDeliveryPurge } from './workers/delivery-purge.js';
import { createEventFanout } from './workers/event-fanout.js';
import { createWebhookDelivery } from './workers/webhook-delivery.js';
import type { Worker } from './workers/worker.js';

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
