// /webhooks: registration, test, rotation.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Limits } from '../../platform/domain/limits.js';
import { because } from '../../platform/http/issue-problem.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { RevealedWebhook, Webhooks } from '../app/webhooks.js';
import { webhookEventType } from '../domain/event.js';
import {
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
  readonly limits: Limits;
}

const byId = { params: z.object({ webhook_id: z.string() }), invalidParams: 'webhook_not_found' } as const;
const url = z.string().max(2048).meta({ description: 'A public https URL' });
const events = z
  .array(webhookEventType)
  .min(1)
  .max(100)
  .optional()
  .meta({ description: 'Default: ends and stalls of builds' });

const revealed = (status: 200 | 201) => (webhook: RevealedWebhook) => ({
  status,
  body: revealedWebhookView(webhook),
});

export function createWebhookRoutes({ webhooks, limits }: WebhookRoutesDeps): AnyRoute[] {
  return [...registrationRoutes(webhooks), ...signingRoutes(webhooks, limits)];
}

function registrationRoutes(webhooks: Webhooks): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/webhooks',
      operationId: 'listWebhooks',
      level: 'read',
      summary: 'Webhooks, oldest first',
      responses: { 200: webhookListShape },
      async handle({ caller }) {
        const all = await webhooks.list(caller.account.id);
        return { status: 200, body: { webhooks: all.map(webhookView) } };
      },
    }),
    route({
      method: 'POST',
      path: '/webhooks',
      operationId: 'createWebhook',
      level: 'manage',
      action: { name: 'webhook.create', made: 'id', concerns: ['webhooks', 'deliveries'] },
      confirm: true,
      summary: 'Register and test a webhook. Unless the test is answered 2xx, the webhook is stored disabled.',
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
      operationId: 'getWebhook',
      level: 'read',
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
      operationId: 'changeWebhook',
      level: 'manage',
      action: { name: 'webhook.change', concerns: ['webhooks', 'deliveries'] },
      summary: 'Change a webhook. A new URL and enabling are tested first.',
      body: z
        .object({ url: url.optional(), events, status: webhookStatus.optional() })
        .refine(
          (body) => Object.values(body).some((value) => value !== undefined),
          because(fieldProblem('nothing_to_change')),
        )
        .meta({ id: 'WebhookChanges', description: 'Absent fields stay unchanged' }),
      invalidBody: 'invalid_webhook',
      responses: { 200: webhookShape },
      errors: ['webhook_not_found', 'invalid_webhook'],
      async handle({ caller, params, body, recordAction }) {
        const { account } = caller;
        const changed = await webhooks.change(account.id, params.webhook_id, body, recordAction());
        return { status: 200, body: webhookView(changed) };
      },
    }),
    route({
      ...byId,
      method: 'DELETE',
      path: '/webhooks/:webhook_id',
      operationId: 'deleteWebhook',
      level: 'manage',
      action: { name: 'webhook.delete', concerns: ['webhooks', 'deliveries'] },
      invalidBody: 'invalid_webhook',
      summary: 'Remove a webhook. Its pending deliveries are dropped.',
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
  ];
}

/** Tests of a webhook, and rotation of the secret that signs. */
function signingRoutes(webhooks: Webhooks, limits: Limits): AnyRoute[] {
  return [
    route({
      ...byId,
      method: 'POST',
      path: '/webhooks/:webhook_id/test',
      operationId: 'testWebhook',
      level: 'manage',
      action: { name: 'webhook.test', concerns: ['webhooks', 'deliveries'] },
      invalidBody: 'invalid_webhook',
      summary: 'Send a test. A 2xx answer enables the webhook.',
      responses: { 200: webhookShape },
      errors: ['webhook_not_found'],
      async handle({ caller, params, recordAction }) {
        const tested = await webhooks.test(caller.account.id, params.webhook_id, recordAction());
        return { status: 200, body: webhookView(tested) };
      },
    }),
    route({
      ...byId,
      method: 'POST',
      path: '/webhooks/:webhook_id/rotate',
      operationId: 'rotateWebhookSecret',
      level: 'manage',
      action: { name: 'webhook.rotate_secret', concerns: ['webhooks', 'deliveries'] },
      confirm: true,
      summary: 'Rotate the signing secret. The previous one also signs during a grace period.',
      body: z
        .object({
          grace_s: z
            .int()
            .min(0)
            .max(limits.webhook_grace_s_max)
            .optional()
            .meta({
              description: `Seconds in which the previous secret also signs; default ${limits.webhook_grace_s.toLocaleString('en-US')}`,
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
  ];
}
