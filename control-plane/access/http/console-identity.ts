// /v1/identity: the account at the identity provider that is linked to the signed-in person.
import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Identities } from '../app/identities.js';
import { IDENTITY_LINKED } from '../domain/audit-actions.js';
import { countingGuesses, identityErrors } from './console-session-provider.js';
import { identityAnswerShape, identityView, linkedIdentityShape, providerShape } from './identity-shape.js';
import type { SignInThrottle } from './sign-in-throttle.js';

export interface IdentityRoutesDeps {
  readonly identities: Identities;
  readonly throttle: SignInThrottle;
}

export function createIdentityRoutes({ identities, throttle }: IdentityRoutesDeps): AnyRoute[] {
  const aboutPerson = { level: 'read', consoleOnly: true, beyondRecordsLimit: 'person', confirm: true } as const;
  return [
    route({
      method: 'GET',
      path: '/v1/identity',
      operationId: 'getIdentity',
      level: 'read',
      consoleOnly: true,
      summary: 'The account at the identity provider with which the signed-in person can sign in',
      responses: {
        200: z.object({ provider: providerShape, identity: linkedIdentityShape.nullable() }).meta({ id: 'Identity' }),
      },
      async handle({ session }) {
        const found = await identities.of(session.userId);
        const { provider } = identities;
        return {
          status: 200,
          body: { provider: provider && { name: provider.name }, identity: found && identityView(found) },
        };
      },
    }),
    route({
      ...aboutPerson,
      method: 'POST',
      path: '/v1/identity',
      operationId: 'linkIdentity',
      action: { name: IDENTITY_LINKED, concerns: [] },
      summary: 'Link an account at the identity provider, with which the person signs in from now on',
      body: identityAnswerShape,
      confidential: true,
      responses: { 201: linkedIdentityShape },
      errors: [...identityErrors, 'identity_taken', 'rate_limited'],
      async handle({ session, body, ip, recordAction, concerns }) {
        concerns({ target: session.userId });
        const linked = await countingGuesses(throttle, ip, () => identities.link(session, body, recordAction()));
        return { status: 201, body: identityView(linked) };
      },
    }),
    route({
      ...aboutPerson,
      method: 'DELETE',
      path: '/v1/identity',
      operationId: 'unlinkIdentity',
      action: { name: 'user.unlink_identity', concerns: [] },
      summary: 'Remove the link; the account at the identity provider no longer signs in',
      responses: { 204: null },
      errors: ['not_found', 'identity_needed'],
      async handle({ session, recordAction, concerns }) {
        concerns({ target: session.userId });
        await identities.unlink(session, recordAction());
        return { status: 204, body: null };
      },
    }),
  ];
}
