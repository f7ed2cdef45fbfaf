// POST /v1/payments/portone/webhook, when PortOne is configured.
import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { PaymentWebhooks } from '../app/payment-webhooks.js';

/** @param webhooks null: PortOne is not configured, and the route does not exist */
export function createPaymentWebhookRoutes(webhooks: PaymentWebhooks | null): AnyRoute[] {
  if (!webhooks) return [];
  return [
    route<unknown, unknown, Buffer>({
      method: 'POST',
      path: '/v1/payments/portone/webhook',
      operationId: 'receivePortoneWebhook',
      level: null,
      action: null,
      ignoresUnknown: true,
      summary: 'For PortOne: a payment has changed',
      bodyBytes: true,
      responses: { 200: z.object({ received: z.literal(true) }).meta({ id: 'WebhookReceipt' }) },
      errors: ['invalid_request', 'invalid_json', 'payload_too_large'],
      async handle({ body, headers }) {
        await webhooks.receive(body, headers);
        return { status: 200, body: { received: true } };
      },
    }),
  ];
}
