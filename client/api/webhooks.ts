import { type CallOptions, fetchJson, type Wire } from '../http/exchange.js';
import type {
  DeliveryFilter,
  RedeliverRequest,
  RevealedWebhook,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookList,
  WebhookRequest,
} from '../types.js';

/** Webhooks. A receiver checks requests with `verifyWebhook`. */
export interface WebhooksApi {
  list(options?: CallOptions): Promise<WebhookList>;
  get(id: string, options?: CallOptions): Promise<Webhook>;
  /**
   * Registers a receiver and tests it at once. Store the secret: it is shown only once.
   *
   * @example
   * const { secret, status, test } = await client.webhooks.create({ url: 'https://ci.example.com/hook' });
   * if (status === 'disabled') console.error(`the test failed: ${test.error}`);
   */
  create(request: WebhookRequest, options?: CallOptions): Promise<RevealedWebhook>;
  update(id: string, changes: WebhookChanges, options?: CallOptions): Promise<Webhook>;
  delete(id: string, options?: CallOptions): Promise<{ id: string; deleted: true }>;
  /** Sends a test; a 2xx answer enables a disabled webhook. */
  test(id: string, options?: CallOptions): Promise<Webhook>;
  /** Creates a new secret; the old one also signs for `graceS` seconds (default: one day). */
  rotate(id: string, options?: CallOptions & { graceS?: number }): Promise<RevealedWebhook>;
  /** One page, newest first; pass `next_before` as `before` for the next one. */
  deliveries(id: string, filter?: DeliveryFilter, options?: CallOptions): Promise<WebhookDeliveryPage>;
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>;
  /** Sends everything since an ISO time again, also what was missed while the webhook was disabled. */
  redeliverSince(
    id: string,
    since: string,
    options?: CallOptions & Pick<RedeliverRequest, 'status'>,
  ): Promise<{ redelivered: number }>;
}

export function webhooksApi(wire: Wire): WebhooksApi {
  const pathOf = (id: string, rest = '') => `/webhooks/${encodeURIComponent(id)}${rest}`;
  return {
    list: (options) => fetchJson(wire, { method: 'GET', path: '/webhooks', options }),
    get: (id, options) => fetchJson(wire, { method: 'GET', path: pathOf(id), options }),
    create: (request, options) => fetchJson(wire, { method: 'POST', path: '/webhooks', json: request, options }),
    update: (id, changes, options) => fetchJson(wire, { method: 'PATCH', path: pathOf(id), json: changes, options }),
    delete: (id, options) => fetchJson(wire, { method: 'DELETE', path: pathOf(id), options }),
    test: (id, options) => fetchJson(wire, { method: 'POST', path: pathOf(id, '/test'), options }),
    rotate: (id, { graceS, ...options } = {}) =>
      fetchJson(wire, {
        method: 'POST',
        path: pathOf(id, '/rotate'),
        json: graceS === undefined ? {} : { grace_s: graceS },
        options,
      }),
    deliveries: (id, filter = {}, options) =>
      fetchJson(wire, { method: 'GET', path: pathOf(id, '/deliveries'), query: { ...filter }, options }),
    redeliver: (id, deliveryId, options) =>
      fetchJson(wire, {
        method: 'POST',
        path: pathOf(id, `/deliveries/${encodeURIComponent(deliveryId)}/redeliver`),
        options,
      }),
    redeliverSince: (id, since, { status, ...options } = {}) =>
      fetchJson(wire, {
        method: 'POST',
        path: pathOf(id, '/redeliver'),
        json: { since, ...(status === undefined ? {} : { status }) },
        options,
      }),
  };
}
