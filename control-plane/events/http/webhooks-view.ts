import { z } from 'zod';
import { enumeration } from '../../platform/domain/enumeration.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { errorShapes, errorView } from '../../platform/http/message-view.js';
import { nextBefore, time } from '../../platform/http/values.js';
import type { RevealedWebhook } from '../app/webhooks.js';
import { type Delivery, deliveryStatuses, type Exchange } from '../domain/delivery.js';
import { webhookEventType } from '../domain/event.js';
import { disabledReasons, type Webhook, webhookStatuses } from '../domain/webhook.js';

export const webhookStatus = enumeration(webhookStatuses, {
  id: 'WebhookStatus',
  plain: true,
  meanings: { enabled: 'events are sent', disabled: 'nothing is sent; pending deliveries are dropped' },
});

const fields = {
  id: z.string(),
  url: z.string(),
  events: z.array(webhookEventType),
  status: webhookStatus,
  disabled_reason: enumeration(disabledReasons, {
    meanings: {
      test_failed: 'a test was not answered 2xx',
      gone: 'a delivery was answered 410',
      by_request: 'it was disabled by `PATCH`',
    },
  })
    .nullable()
    .meta({ title: 'Null while it is enabled' }),
  created_at: time,
  test: z
    .object({
      ok: z.boolean(),
      http_status: z.int().nullable(),
      ...errorShapes,
    })
    .meta({ title: 'Result of the last test' }),
};

export const webhookShape = z
  .object(fields)
  .meta({ id: 'Webhook', title: 'An address that receives events of the account' });
export const revealedWebhookShape = z
  .object({ ...fields, secret: z.string().meta({ description: 'Signs deliveries; only shown here' }) })
  .meta({
    id: 'RevealedWebhook',
    title: 'A webhook with its secret: returned at registration and rotation',
  });
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
    created_at: isoTime(webhook.createdAt),
    test: { ok: test.ok, http_status: test.httpStatus, ...errorView(test) },
  };
}

export function revealedWebhookView(webhook: RevealedWebhook): z.infer<typeof revealedWebhookShape> {
  return { ...webhookView(webhook), secret: webhook.secret };
}

const exchange = z
  .object({ headers: z.record(z.string(), z.string()), body: z.string() })
  .meta({ id: 'WebhookExchange' })
  .nullable();

export const deliveryStatus = enumeration(deliveryStatuses, {
  id: 'DeliveryStatus',
  plain: true,
  meanings: {
    pending: 'an attempt is in flight or scheduled',
    delivered: 'the receiver answered 2xx',
    failed: 'all attempts failed',
  },
});

export const deliveryShape = z
  .object({
    id: z.string(),
    event_id: z.string(),
    event_type: z.string().meta({ description: 'A WebhookEventType; more may come' }),
    attempt: z.int().min(0).meta({ title: 'Number of attempts made' }),
    status: deliveryStatus,
    http_status: z.int().nullable(),
    ...errorShapes,
    error: errorShapes.error.meta({ title: 'Why the last attempt failed' }),
    request: exchange.meta({ description: 'Of the last attempt' }),
    response: exchange.meta({ description: 'Of the last attempt. The end of a long body is left out.' }),
    created_at: time,
    delivered_at: time.nullable(),
    next_attempt_at: time.nullable(),
  })
  .meta({ id: 'WebhookDelivery', title: 'One event to one receiver' });

export const deliveryListShape = z
  .object({ deliveries: z.array(deliveryShape), next_before: nextBefore })
  .meta({ id: 'WebhookDeliveryPage' });

export const redeliveredShape = z.object({ redelivered: z.int().min(0) });

export function deliveryView(delivery: Delivery): z.infer<typeof deliveryShape> {
  return {
    id: delivery.deliveryId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    attempt: delivery.attempt,
    status: delivery.status,
    http_status: delivery.httpStatus,
    ...errorView(delivery),
    request: exchangeView(delivery.request),
    response: exchangeView(delivery.response),
    created_at: isoTime(delivery.createdAt),
    delivered_at: isoTime(delivery.deliveredAt),
    next_attempt_at: isoTime(delivery.nextAttemptAt),
  };
}

const exchangeView = (shown: Exchange | null) => shown && { headers: { ...shown.headers }, body: shown.body };
