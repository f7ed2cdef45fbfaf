// /v1/passkeys: the passkeys of the signed-in person.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Passkey, Passkeys } from '../app/passkeys.js';
import { passkeyRefusals } from '../domain/passkey-site.js';
import { nameShape } from './name-shape.js';
import { newCredentialOf, newCredentialShape, optionsShape, passkeyShape, passkeyView } from './passkey-shape.js';
import type { SignInThrottle } from './sign-in-throttle.js';

export interface PasskeyRoutesDeps {
  readonly passkeys: Passkeys;
  readonly throttle: SignInThrottle;
  readonly limits: Limits;
}

export function createPasskeyRoutes({ passkeys, throttle, limits }: PasskeyRoutesDeps): AnyRoute[] {
  const ofPerson = { level: 'read', consoleOnly: true, beyondRecordsLimit: 'person' } as const;
  const aboutPerson = { ...ofPerson, confirm: true } as const;
  const one = { path: '/v1/passkeys/:passkey_id', params: z.object({ passkey_id: z.string() }) } as const;
  return [
    route({
      method: 'GET',
      path: '/v1/passkeys',
      operationId: 'listPasskeys',
      level: 'read',
      consoleOnly: true,
      summary: 'Passkeys of the signed-in person, the oldest first',
      responses: {
        200: z
          .object({
            data: z.array(passkeyShape),
            refused: z
              .enum(passkeyRefusals)
              .nullable()
              .meta({ description: 'Why browsers offer no passkeys at the address of the service; null: they do' }),
          })
          .meta({ id: 'PasskeyList' }),
      },
      async handle({ session }) {
        const data = (await passkeys.list(session.userId)).map(passkeyView);
        return { status: 200, body: { data, refused: passkeys.refused } };
      },
    }),
    route({
      ...aboutPerson,
      method: 'POST',
      path: '/v1/passkeys/options',
      operationId: 'beginPasskey',
      // Nothing is stored.
      action: null,
      summary: 'What a browser needs to make a passkey',
      responses: { 200: optionsShape },
      errors: ['passkeys_unavailable', 'secrets_unavailable'],
      async handle({ session }) {
        return { status: 200, body: { options: await passkeys.begin(session) } };
      },
    }),
    route({
      ...aboutPerson,
      method: 'POST',
      path: '/v1/passkeys',
      operationId: 'addPasskey',
      action: { name: 'user.add_passkey', made: 'id', concerns: [] },
      summary: 'Register a passkey, with which the person signs in from now on',
      body: z.object({ name: nameShape(limits), credential: newCredentialShape }),
      responses: { 201: passkeyShape },
      errors: ['invalid_passkey', 'passkeys_limit', 'passkeys_unavailable', 'rate_limited'],
      async handle({ session, body: { name, credential }, ip, recordAction }) {
        const added = recordAction<Passkey>(({ passkeyId }) => ({ target: passkeyId }));
        const passkey = await throttle.run({ email: session.email, ip }, () =>
          passkeys.register(session, { name, credential: newCredentialOf(credential) }, added),
        );
        return { status: 201, body: passkeyView(passkey) };
      },
    }),
    route({
      // The passkey works as before, so no confirmation is needed.
      ...ofPerson,
      method: 'PATCH',
      ...one,
      operationId: 'renamePasskey',
      action: { name: 'user.rename_passkey', concerns: [] },
      summary: 'Rename a passkey',
      body: z.object({ name: nameShape(limits) }),
      responses: { 200: passkeyShape },
      errors: ['not_found'],
      async handle({ session, params, body: { name }, recordAction }) {
        const renamed = await passkeys.rename(session, { passkeyId: params.passkey_id, name }, recordAction());
        return { status: 200, body: passkeyView(renamed) };
      },
    }),
    route({
      ...aboutPerson,
      method: 'DELETE',
      ...one,
      operationId: 'removePasskey',
      action: { name: 'user.remove_passkey', concerns: [] },
      summary: 'Remove a passkey; it no longer signs in',
      responses: { 204: null },
      errors: ['not_found'],
      async handle({ session, params, recordAction }) {
        await passkeys.remove(session, params.passkey_id, recordAction());
        return { status: 204, body: null };
      },
    }),
  ];
}
