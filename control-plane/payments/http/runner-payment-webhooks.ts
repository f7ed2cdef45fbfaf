// POST /v1/payments/portone/webhook, where PortOne is set up.
import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { PaymentWebhooks } from '../app/payment-webhooks.js';

/** @param webhooks null: PortOne is not set up, and there is no such address */
export function createPaymentWebhookRoutes(webhooks: PaymentWebhooks | null): AnyRoute[] {
  if (!webhooks) return [];
  return [
    route<unknown, unknown, Buffer>({
      method: 'POST',
      path: '/v1/payments/portone/webhook',
      ignoresUnknown: true,
      summary: 'For PortOne: says that something about a payment has changed',
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
