// /webhooks: registration, test, rotation, deliveries.
import { z } from 'zod';
import { buildEventType } from '../../builds/domain/event-payload.js';
import type { Limits } from '../../platform/domain/limits.js';
import { beforeParam, integerParam, parseIsoTime } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Deliveries } from '../app/deliveries.js';
import type { RevealedWebhook, Webhooks } from '../app/webhooks.js';
import {
  deliveryListShape,
  deliveryShape,
  deliveryStatus,
  deliveryView,
  redeliveredShape,
  revealedWebhookShape,
  revealedWebhookView,
  webhookDeletedShape,
  webhookListShape,
  webhookShape,
  webhookStatus,
  webhookView,
} from './webhooks-view.js';

export interface WebhookRoutesDeps {
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly limits: Limits;
}

const byId = { params: z.object({ webhook_id: z.string() }), invalidParams: 'webhook_not_found' } as const;
const byDelivery = {
  params: z.object({ webhook_id: z.string(), delivery_id: z.string() }),
  invalidParams: 'delivery_not_found',
} as const;
const url = z.string().max(2048).meta({ description: 'A public https address' });
const events = z
  .array(buildEventType)
  .min(1)
  .max(100)
  .optional()
  .meta({ description: 'Without it: how builds end, and that they stall' });
const ended = deliveryStatus.exclude(['pending']);

export function createWebhookRoutes({ webhooks, deliveries, limits }: WebhookRoutesDeps): AnyRoute[] {
  const revealed = (status: 200 | 201) => (webhook: RevealedWebhook) => ({
    status,
    body: revealedWebhookView(webhook),
  });
  return [
    route({
      method: 'GET',
      path: '/webhooks',
      summary: 'The webhooks of the account, oldest first',
      responses: { 200: webhookListShape },
      async handle({ caller }) {
        const all = await webhooks.list(caller.account.id);
        return { status: 200, body: { webhooks: all.map(webhookView) } };
      },
    }),
    route({
      method: 'POST',
      path: '/webhooks',
      summary: 'Registers a webhook and tests it at once; one that is not answered 2xx is kept disabled',
      body: z.object({ url, events }).meta({ id: 'WebhookRequest' }),
      invalidBody: 'invalid_webhook',
      idempotent: true,
      responses: { 201: revealedWebhookShape },
      errors: ['invalid_webhook', 'webhooks_limit'],
      async handle({ caller, body, recordReply }) {
        const reply = revealed(201);
        return reply(await webhooks.create(caller.account.id, body, recordReply(reply)));
      },
    }),
    route({
      ...byId,
      method: 'GET',
      path: '/webhooks/:webhook_id',
      summary: 'One webhook',
      responses: { 200: webhookShape },
      errors: ['webhook_not_found'],
      async handle({ caller, params }) {
        return { status: 200, body: webhookView(await webhooks.get(caller.account.id, params.webhook_id)) };
      },
    }),
    route({
      ...byId,
      method: 'PATCH',
      path: '/webhooks/:webhook_id',
      summary: 'Changes a webhook; another address is tested, and so is one that is to be enabled',
      body: z
        .object({ url: url.optional(), events, status: webhookStatus.optional() })
        .refine((body) => Object.values(body).some((value) => value !== undefined), 'nothing to change')
        .meta({ id: 'WebhookChanges', description: 'Absent fields stay unchanged' }),
      invalidBody: 'invalid_webhook',
      responses: { 200: webhookShape },
      errors: ['webhook_not_found', 'invalid_webhook'],
      async handle({ caller, params, body }) {
        const changed = await webhooks.change(caller.account.id, params.webhook_id, body);
        return { status: 200, body: webhookView(changed) };
      },
    }),
    route({
      ...byId,
      method: 'DELETE',
      path: '/webhooks/:webhook_id',
      invalidBody: 'invalid_webhook',
      summary: 'Removes a webhook; what was on its way to it is given up',
      idempotent: true,
      responses: { 200: webhookDeletedShape },
      errors: ['webhook_not_found'],
      async handle({ caller, params: { webhook_id: id }, recordReply }) {
        const reply = { status: 200, body: { id, deleted: true } };
        await webhooks.remove(
          caller.account.id,
          id,
          recordReply(() => reply),
        );
        return reply;
      },
    }),
    route({
      ...byId,
      method: 'POST',
      path: '/webhooks/:webhook_id/test',
      invalidBody: 'invalid_webhook',
      summary: 'Sends a test; one that is answered 2xx enables the webhook',
      responses: { 200: webhookShape },
      errors: ['webhook_not_found'],
      async handle({ caller, params }) {
        return { status: 200, body: webhookView(await webhooks.test(caller.account.id, params.webhook_id)) };
      },
    }),
    route({
      ...byId,
      method: 'POST',
      path: '/webhooks/:webhook_id/rotate',
      summary: 'Gives a new signing secret; the one before signs too for a time of grace',
      body: z
        .object({
          grace_s: z
            .int()
            .min(0)
            .max(limits.webhook_grace_s_max)
            .optional()
            .meta({
              description: `How long the secret before signs too; ${limits.webhook_grace_s.toLocaleString('en-US')} by default`,
            }),
        })
        .meta({ id: 'RotationRequest' }),
      invalidBody: 'invalid_webhook',
      idempotent: true,
      responses: { 200: revealedWebhookShape },
      errors: ['webhook_not_found', 'invalid_webhook'],
      async handle({ caller, params, body, recordReply }) {
        const reply = revealed(200);
        const { account } = caller;
        return reply(await webhooks.rotate(account.id, params.webhook_id, body.grace_s, recordReply(reply)));
      },
    }),
    route({
      ...byId,
      method: 'GET',
      path: '/webhooks/:webhook_id/deliveries',
      summary: 'What was sent to a webhook, newest first, with request and answer',
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
      invalidBody: 'invalid_webhook',
      summary: 'Sends a delivery again',
      responses: { 202: deliveryShape },
      errors: ['webhook_not_found', 'delivery_not_found', 'invalid_webhook'],
      async handle({ caller, params }) {
        const { webhook_id: webhookId, delivery_id: deliveryId } = params;
        const delivery = await deliveries.redeliver(caller.account.id, webhookId, deliveryId);
        return { status: 202, body: deliveryView(delivery) };
      },
    }),
    route({
      ...byId,
      method: 'POST',
      path: '/webhooks/:webhook_id/redeliver',
      summary: 'Sends again everything since a moment, and what was missed while the webhook was disabled',
      body: z.object({ since: sinceField(), status: ended.optional() }).meta({ id: 'RedeliverRequest' }),
      invalidBody: 'invalid_webhook',
      invalidBodyField: { since: 'invalid_time' },
      responses: { 202: redeliveredShape },
      errors: ['webhook_not_found', 'invalid_webhook', 'invalid_time'],
      async handle({ caller, params, body }) {
        const redelivered = await deliveries.redeliverSince(caller.account.id, params.webhook_id, {
          since: parseIsoTime(body.since) ?? 0,
          status: body.status ?? null,
        });
        return { status: 202, body: { redelivered } };
      },
    }),
  ];
}

/** An ISO time, kept as text: a transformed field has no place in the OpenAPI document. */
function sinceField() {
  return z
    .string()
    .refine((text) => parseIsoTime(text) !== null, 'expected an ISO 8601 time')
    .meta({ format: 'date-time' });
}
