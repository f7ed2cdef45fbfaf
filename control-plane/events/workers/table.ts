// The background workers of events.
import type { Limits } from '../../platform/domain/limits.js';
import { type PurgeDeps, purge } from '../../platform/workers/sweeps.js';
import type { Worker } from '../../platform/workers/worker.js';
import { type FanoutDeps, fanOutSome } from '../app/event-fanout.js';
import { purgeDeliveries } from '../store/deliveries.js';
import { type CommitStatusWorkerDeps, createCommitStatusWorker } from './commit-status.js';
import { createWebhookDelivery, type WebhookDeliveryDeps } from './webhook-delivery.js';

export type EventWorkersDeps = FanoutDeps &
  WebhookDeliveryDeps &
  CommitStatusWorkerDeps &
  PurgeDeps & { readonly limits: Limits };

export function eventWorkers(deps: EventWorkersDeps): readonly Worker[] {
  return [
    {
      // Creates the deliveries of each event.
      name: 'event-fanout',
      wakeOn: ['events'],
      async run() {
        while (await fanOutSome(deps));
        return null;
      },
    },
    createWebhookDelivery(deps),
    createCommitStatusWorker(deps),
    purge(deps, 'deliveries', deps.limits.webhook_deliveries_kept_ms, purgeDeliveries),
  ];
}
