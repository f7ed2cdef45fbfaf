// The background workers of events.
import type { Worker } from '../../platform/workers/worker.js';
import { type FanoutDeps, fanOutSome } from '../app/event-fanout.js';
import { type CommitStatusWorkerDeps, createCommitStatusWorker } from './commit-status.js';
import { createDeliveryPurge, type DeliveryPurgeDeps } from './delivery-purge.js';
import { createWebhookDelivery, type WebhookDeliveryDeps } from './webhook-delivery.js';

export type EventWorkersDeps = FanoutDeps & WebhookDeliveryDeps & CommitStatusWorkerDeps & DeliveryPurgeDeps;

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
    createDeliveryPurge(deps),
  ];
}
