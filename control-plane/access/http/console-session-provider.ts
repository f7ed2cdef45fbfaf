// /v1/session/provider: signing in with an account at the identity provider.
import { z } from 'zod';
import { personActor } from '../../platform/domain/audit-entry.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { SignedIn } from '../../platform/domain/person.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import type { Identities } from '../app/identities.js';
import { identityPurposes } from '../app/identity-flow.js';
import type { Sessions } from '../app/sessions.js';
import { secondFactorRequired } from './console-session.js';
import { originOf, type SessionAnswer } from './console-session-answer.js';
import { identityAnswerShape } from './identity-shape.js';
import type { SessionCookie } from './session-cookie.js';
import { sessionShape } from './session-view.js';
import type { SignInThrottle } from './sign-in-throttle.js';

export interface IdentitySignInDeps {
  readonly identities: Identities;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly cookie: SessionCookie;
  readonly throttle: SignInThrottle;
  readonly sessionAnswer: SessionAnswer;
}

/** Errors of every request that carries an answer of the provider. */
export const identityErrors = [
  ...(['identity_refused', 'identity_provider_missing', 'identity_provider_declined'] as const),
  ...(['identity_provider_unavailable', 'identity_email_unverified', 'identity_domain_refused'] as const),
] as const;

export function createIdentitySignInRoutes(deps: IdentitySignInDeps): AnyRoute[] {
  const { identities, sessions, cookie, throttle, sessionAnswer } = deps;
  const forVisitors = { level: null, sameOrigin: true } as const;
  return [
    route({
      ...forVisitors,
      method: 'POST',
      path: '/v1/session/provider/begin',
      operationId: 'beginWithProvider',
      // Nothing is stored.
      action: null,
      summary: 'The address at the identity provider to send the person to, who comes back to `/sign-in/provider`',
      body: z.object({ purpose: z.enum(identityPurposes) }),
      responses: {
        200: z
          .object({
            url: z.string(),
            token: z.string().meta({ description: 'To be kept in this browser, and sent with the answer' }),
            expires_at: time,
          })
          .meta({ id: 'IdentityProviderRequest' }),
      },
      errors: [
        ...(['identity_provider_missing', 'identity_provider_unavailable', 'secrets_unavailable'] as const),
        ...(['forbidden', 'console_only'] as const),
      ],
      async handle({ body: { purpose } }) {
        const { url, token, expiresAt } = await identities.begin(purpose);
        return { status: 200, body: { url, token, expires_at: new Date(expiresAt).toISOString() } };
      },
    }),
    route({
      ...forVisitors,
      method: 'POST',
      path: '/v1/session/provider',
      operationId: 'signInWithProvider',
      action: { name: 'session.create', concerns: [] },
      summary: 'Sign in with the answer of the identity provider; the session is a cookie',
      body: identityAnswerShape,
      confidential: true,
      responses: { 200: sessionShape },
      errors: [
        ...identityErrors,
        ...(['identity_not_linked', 'identity_not_invited', 'second_factor_required', 'rate_limited'] as const),
        ...(['forbidden', 'console_only'] as const),
      ],
      async handle({ body, ip, headers, recordAction, concerns }) {
        const signedIn = recordAction<SignedIn>((one) => ({ actor: personActor(one), target: one.userId }));
        const begun = await countingGuesses(throttle, ip, () =>
          identities.signIn(body, originOf({ ip, headers }), {
            found: ({ userId }) => concerns({ target: userId }),
            signedIn,
          }),
        );
        if ('secondStep' in begun) throw secondFactorRequired(begun.secondStep);
        // As with every sign-in, the previous session of the browser ends.
        const before = typeof headers.cookie === 'string' ? cookie.read(headers.cookie) : null;
        if (before !== null) await sessions.end(before);
        return sessionAnswer(200, begun);
      },
    }),
  ];
}

/** A provider that fails does not use up the attempts of the address. */
export async function countingGuesses<T>(throttle: SignInThrottle, ip: string, use: () => Promise<T>): Promise<T> {
  const result = await throttle.run({ email: null, ip }, async () => {
    try {
      return { used: await use() };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'identity_provider_unavailable') return { error };
      throw error;
    }
  });
  if ('error' in result) throw result.error;
  return result.used;
}
