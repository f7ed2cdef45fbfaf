import { z } from 'zod';
import type { RevealedWebhook } from '../../../app/webhooks.js';
import { type Delivery, deliveryStatuses, type Exchange } from '../../../domain/delivery.js';
import { eventTypes } from '../../../domain/event.js';
import { disabledReasons, type Webhook, webhookStatuses } from '../../../domain/webhook.js';
import { isoTime } from './build.js';

const fields = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(eventTypes)),
  status: z.enum(webhookStatuses),
  disabled_reason: z.enum(disabledReasons).nullable(),
  created_at: z.string(),
  test: z.object({ ok: z.boolean(), http_status: z.int().nullable(), error: z.string().nullable() }),
};

export const webhookShape = z.object(fields).meta({ id: 'Webhook' });
export const revealedWebhookShape = z
  .object({ ...fields, secret: z.string().meta({ description: 'Signs deliveries; shown this once' }) })
  .meta({ id: 'RevealedWebhook' });
export const webhookListShape = z.object({ webhooks: z.array(webhookShape) }).meta({ id: 'WebhookList' });
export const webhookDeletedShape = z.object({ id: z.string(), deleted: z.literal(true) });

export function webhookView(webhook: Webhook): z.infer<typeof webhookShape> {
  const { test } = webhook;
  return {
    id: webhook.webhookId,
    url: webhook.url,
    events: [...webhook.events],
    status: webhook.status,
    disabled_reason: webhook.disabledReason,
    created_at: new Date(webhook.createdAt).toISOString(),
    test: { ok: test.ok, http_status: test.httpStatus, error: test.error },
  };
}

export function revealedWebhookView(webhook: RevealedWebhook): z.infer<typeof revealedWebhookShape> {
  return { ...webhookView(webhook), secret: webhook.secret };
}

const exchange = z.object({ headers: z.record(z.string(), z.string()), body: z.string() }).nullable();

export const deliveryShape = z
  .object({
    id: z.string(),
    event_id: z.string(),
    event_type: z.string(),
    attempt: z.int().min(0).meta({ description: 'How many attempts there were' }),
    status: z.enum(deliveryStatuses),
    http_status: z.int().nullable(),
    error: z.string().nullable(),
    request: exchange.meta({ description: 'Of the last attempt' }),
    response: exchange.meta({ description: 'Of the last attempt; the body is cut' }),
    created_at: z.string(),
    delivered_at: z.string().nullable(),
    next_attempt_at: z.string().nullable(),
  })
  .meta({ id: 'Delivery' });

export const deliveryListShape = z
  .object({ deliveries: z.array(deliveryShape), next_before: z.string().nullable() })
  .meta({ id: 'DeliveryList' });

export const redeliveredShape = z.object({ redelivered: z.int().min(0) });

export function deliveryView(delivery: Delivery): z.infer<typeof deliveryShape> {
  return {
    id: delivery.deliveryId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    attempt: delivery.attempt,
    status: delivery.status,
    http_status: delivery.httpStatus,
    error: delivery.error,
    request: exchangeView(delivery.request),
    response: exchangeView(delivery.response),
    created_at: new Date(delivery.createdAt).toISOString(),
    delivered_at: isoTime(delivery.deliveredAt),
    next_attempt_at: isoTime(delivery.nextAttemptAt),
  };
}

const exchangeView = (shown: Exchange | null) => shown && { headers: { ...shown.headers }, body: shown.body };
