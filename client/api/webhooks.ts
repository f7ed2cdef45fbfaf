import { methodsOf } from '../http/call-operation.js';
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
import type { RedeliverRequest, RevealedWebhook } from '../types.js';

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
};

/** Webhooks. A receiver checks requests with `verifyWebhook`. */
export interface WebhooksApi extends MethodsOf<typeof operations, CallOptions> {
  /** Creates a new secret; the old one also signs for `graceS` seconds (default: as the service is configured). */
  rotate(id: string, options?: CallOptions & { graceS?: number }): Promise<RevealedWebhook>;
  /** Sends all deliveries since an ISO time again, including events that were missed while the webhook was disabled. */
  redeliverSince(
    id: string,
    since: string,
    options?: CallOptions & Pick<RedeliverRequest, 'status'>,
  ): Promise<{ redelivered: number }>;
}

export function webhooksApi(wire: Wire): WebhooksApi {
  const send = methodsOf(wire, { rotateWebhookSecret, redeliverSince });
  return {
    ...methodsOf(wire, operations),
    rotate: (id, { graceS, ...options } = {}) => send.rotateWebhookSecret(id, { grace_s: graceS }, options),
    redeliverSince: (id, since, { status, ...options } = {}) => send.redeliverSince(id, { since, status }, options),
  };
}
