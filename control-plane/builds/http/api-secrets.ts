// GET /secrets, PUT and DELETE /secrets/:name.
import { z } from 'zod';
import { secretWarning } from '../../../shared/messages/secret-warnings.js';
import { messageShape, messageView } from '../../platform/http/message-view.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import type { Secrets } from '../app/secrets.js';
import { type ListedSecret, SECRET_KINDS, SHORTEST_MASKED_BYTES, type StoredSecret } from '../domain/secret.js';

const listed = z
  .object({
    name: z.string(),
    created_at: time,
    updated_at: time,
    readable: z.boolean().meta({
      description:
        'False: set the secret again or remove it. The service lost the key that decrypts it; builds fail until then.',
    }),
    masked: z.boolean().nullable().meta({ description: 'False: too short to be masked, or blank; null: not readable' }),
    kind: z.enum(SECRET_KINDS).nullable().meta({ description: 'file: the variable has its path' }),
  })
  .meta({ id: 'ListedSecret', title: 'A build secret; its value is never shown' });

export const secretListShape = z.object({ secrets: z.array(listed) }).meta({ id: 'SecretList' });
export const secretShape = listed
  .extend({
    warning: z.string().nullable(),
    warning_message: messageShape.nullable().meta({ title: '`warning` as a code with values' }),
  })
  .meta({ id: 'Secret', title: 'A build secret that was just stored' });
const secretDeletedShape = z.object({ name: z.string(), deleted: z.literal(true) });

function listedSecretView(stored: ListedSecret): z.infer<typeof listed> {
  return {
    name: stored.name,
    created_at: new Date(stored.createdAt).toISOString(),
    updated_at: new Date(stored.updatedAt).toISOString(),
    readable: stored.readable,
    masked: stored.masked,
    kind: stored.kind,
  };
}

function secretView(stored: StoredSecret): z.infer<typeof secretShape> {
  const warning = stored.masked ? null : secretWarning('not_masked', { bytes: SHORTEST_MASKED_BYTES });
  return {
    ...listedSecretView({ ...stored, readable: true }),
    warning: warning?.text ?? null,
    warning_message: warning && messageView(warning),
  };
}

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
      confirm: true,
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
      confirm: true,
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
