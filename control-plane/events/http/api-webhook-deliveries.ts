// /webhooks/{id}/deliveries: list and resend.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { parseIsoTime } from '../../platform/domain/iso-time.js';
import type { Limits } from '../../platform/domain/limits.js';
import { because } from '../../platform/http/issue-problem.js';
import { beforeParam, integerParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Deliveries } from '../app/deliveries.js';
import { deliveryListShape, deliveryShape, deliveryStatus, deliveryView, redeliveredShape } from './webhooks-view.js';

export interface DeliveryRoutesDeps {
  readonly deliveries: Deliveries;
  readonly limits: Limits;
}

const byId = { params: z.object({ webhook_id: z.string() }), invalidParams: 'webhook_not_found' } as const;
const byDelivery = {
  params: z.object({ webhook_id: z.string(), delivery_id: z.string() }),
  invalidParams: 'delivery_not_found',
} as const;
const ended = deliveryStatus.exclude(['pending']);

export function createWebhookDeliveryRoutes({ deliveries, limits }: DeliveryRoutesDeps): AnyRoute[] {
  return [
    route({
      ...byId,
      method: 'GET',
      path: '/webhooks/:webhook_id/deliveries',
      operationId: 'listDeliveries',
      level: 'read',
      summary: 'Deliveries of a webhook. Newest first, with request and response.',
      query: z.object({
        status: deliveryStatus.optional(),
        before: beforeParam.optional(),
        limit: integerParam(1, limits.list_limit_max).optional(),
      }),
      responses: { 200: deliveryListShape },
      errors: ['webhook_not_found', 'delivery_not_found'],
      async handle({ caller, params, query }) {
        const page = await deliveries.list(caller.account.id, params.webhook_id, {
          status: query.status ?? null,
          before: query.before ?? null,
          limit: query.limit ?? limits.list_limit_default,
        });
        return {
          status: 200,
          body: { deliveries: page.deliveries.map(deliveryView), next_before: page.nextBefore },
        };
      },
    }),
    route({
      ...byDelivery,
      method: 'POST',
      path: '/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
      operationId: 'redeliver',
      level: 'manage',
      action: { name: 'webhook.redeliver', concerns: ['webhooks', 'deliveries'] },
      invalidBody: 'invalid_webhook',
      summary: 'Send a delivery again',
      responses: { 202: deliveryShape },
      errors: ['webhook_not_found', 'delivery_not_found', 'invalid_webhook'],
      async handle({ caller, params, recordAction }) {
        const { webhook_id: webhookId, delivery_id: deliveryId } = params;
        const { account } = caller;
        const delivery = await deliveries.redeliver(account.id, webhookId, deliveryId, recordAction());
        return { status: 202, body: deliveryView(delivery) };
      },
    }),
    route({
      ...byId,
      method: 'POST',
      path: '/webhooks/:webhook_id/redeliver',
      operationId: 'redeliverSince',
      level: 'manage',
      action: { name: 'webhook.redeliver', concerns: ['webhooks', 'deliveries'] },
      summary: 'Resend everything since a time. Includes events missed while the webhook was disabled.',
      body: z.object({ since: sinceField(), status: ended.optional() }).meta({ id: 'RedeliverRequest' }),
      invalidBody: 'invalid_webhook',
      invalidBodyField: { since: 'invalid_time' },
      responses: { 202: redeliveredShape },
      errors: ['webhook_not_found', 'invalid_webhook', 'invalid_time'],
      async handle({ caller, params, body, recordAction, step }) {
        const which = { since: parseIsoTime(body.since) ?? 0, status: body.status ?? null };
        const { account } = caller;
        const redelivered = await deliveries.redeliverSince(account.id, params.webhook_id, which, recordAction(), step);
        return { status: 202, body: { redelivered } };
      },
    }),
  ];
}

/** An ISO time that stays text: a transformed field cannot appear in the OpenAPI document. */
function sinceField() {
  return z
    .string()
    .refine((text) => parseIsoTime(text) !== null, because(fieldProblem('invalid_time')))
    .meta({ format: 'date-time' });
}
