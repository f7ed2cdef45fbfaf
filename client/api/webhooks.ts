import { methodsOf, withNamed } from '../http/call-operation.js';
import type { CallOptions, Wire } from '../http/exchange.js';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  redeliverSince,
  rotateWebhookSecret,
  testWebhook,
} from '../operations/api.js';
import type { MethodsOf } from '../operations/operation.js';
import type { RedeliverRequest } from '../types.js';

const operations = {
  list: listWebhooks,
  get: getWebhook,
  /**
   * Registers a receiver and tests it at once. Store the secret: it is shown only once.
   *
   * @example
   * const { secret, status, test } = await client.webhooks.create({ url: 'https://ci.example.com/hook' });
   * if (status === 'disabled') console.error(`the test failed: ${test.error}`);
   */
  create: createWebhook,
  update: changeWebhook,
  delete: deleteWebhook,
  /** Sends a test; a 2xx answer enables a disabled webhook. */
  test: testWebhook,
  /** One page, newest first; pass `next_before` as `before` for the next one. */
  deliveries: listDeliveries,
  redeliver,
  /** Creates a new secret; the old one also signs for `graceS` seconds (default: as the service is configured). */
  rotate: withNamed(rotateWebhookSecret, (id: string, { graceS }: { graceS?: number }) => [id, { grace_s: graceS }]),
  /** Sends all deliveries since an ISO time again, including events that were missed while the webhook was disabled. */
  redeliverSince: withNamed(redeliverSince, (id: string, since: string, filter: Pick<RedeliverRequest, 'status'>) => [
    id,
    { since, ...filter },
  ]),
};

/** Webhooks. A receiver checks requests with `verifyWebhook`. */
export interface WebhooksApi extends MethodsOf<typeof operations, CallOptions> {}

export const webhooksApi = (wire: Wire): WebhooksApi => methodsOf(wire, operations);
