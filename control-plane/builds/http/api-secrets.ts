// GET /secrets, PUT and DELETE /secrets/:name.
import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Secrets } from '../app/secrets.js';
import { listedSecretView, secretDeletedShape, secretListShape, secretShape, secretView } from './secrets-view.js';

export interface SecretRoutesDeps {
  readonly secrets: Secrets;
}

const byName = z.object({ name: z.string() });

export function createSecretRoutes({ secrets }: SecretRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/secrets',
      operationId: 'listSecrets',
      level: 'read',
      summary: 'Names of the secrets; values are never shown',
      responses: { 200: secretListShape },
      async handle({ caller }) {
        const names = await secrets.list(caller.account.id);
        return { status: 200, body: { secrets: names.map(listedSecretView) } };
      },
    }),
    route({
      method: 'PUT',
      path: '/secrets/:name',
      operationId: 'setSecret',
      level: 'manage',
      action: { name: 'secret.set', concerns: ['secrets'] },
      summary: 'Set a secret. It is an environment variable of every build, masked in logs.',
      params: byName,
      body: z.object({ value: z.string().optional(), value_base64: z.string().optional() }),
      invalidBody: 'invalid_secret_value',
      confidential: true,
      idempotent: true,
      responses: { 200: secretShape },
      errors: ['invalid_secret_name', 'invalid_secret_value', 'secrets_limit', 'secrets_unavailable'],
      async handle({ caller, params, body, recordReply }) {
        const reply = (stored: Parameters<typeof secretView>[0]) => ({
          status: 200,
          body: secretView(stored),
        });
        return reply(await secrets.put(caller.account.id, params.name, body, recordReply(reply)));
      },
    }),
    route({
      method: 'DELETE',
      path: '/secrets/:name',
      operationId: 'deleteSecret',
      level: 'manage',
      action: { name: 'secret.delete', concerns: ['secrets'] },
      invalidBody: 'invalid_secret_value',
      summary: 'Remove a secret. Running builds keep the value they started with.',
      params: byName,
      idempotent: true,
      responses: { 200: secretDeletedShape },
      errors: ['secret_not_found'],
      async handle({ caller, params: { name }, recordReply }) {
        const reply = { status: 200, body: { name, deleted: true } };
        await secrets.remove(
          caller.account.id,
          name,
          recordReply(() => reply),
        );
        return reply;
      },
    }),
  ];
}
