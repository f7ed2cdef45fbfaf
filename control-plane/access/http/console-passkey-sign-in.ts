// /v1/session/passkey: signing in with a passkey. Its challenges are also those of POST /v1/session/confirm.
import { z } from 'zod';
import { personActor } from '../../platform/domain/audit-entry.js';
import type { SignedIn } from '../../platform/domain/person.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Identities } from '../app/identities.js';
import type { Passkeys } from '../app/passkeys.js';
import type { Sessions } from '../app/sessions.js';
import { originOf, type SessionAnswer } from './console-session-answer.js';
import { providerShape } from './identity-shape.js';
import { optionsShape, signedChallengeOf, signedChallengeShape } from './passkey-shape.js';
import type { SessionCookie } from './session-cookie.js';
import { sessionShape } from './session-view.js';
import type { SignInThrottle } from './sign-in-throttle.js';

export interface PasskeySignInDeps {
  readonly passkeys: Passkeys;
  readonly identities: Pick<Identities, 'provider'>;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly cookie: SessionCookie;
  readonly throttle: SignInThrottle;
  readonly sessionAnswer: SessionAnswer;
}

export function createPasskeySignInRoutes(deps: PasskeySignInDeps): AnyRoute[] {
  const { passkeys, identities, sessions, cookie, throttle, sessionAnswer } = deps;
  const forVisitors = { level: null, sameOrigin: true } as const;
  return [
    route({
      method: 'GET',
      path: '/v1/sign-in-ways',
      operationId: 'getSignInWays',
      level: null,
      summary: 'What the sign-in page offers besides the password',
      responses: {
        200: z.object({ passkeys: z.boolean(), provider: providerShape }).meta({ id: 'SignInWays' }),
      },
      async handle() {
        const { provider } = identities;
        const body = { passkeys: passkeys.refused === null, provider: provider && { name: provider.name } };
        return { status: 200, body };
      },
    }),
    route({
      ...forVisitors,
      method: 'POST',
      path: '/v1/session/passkey/options',
      operationId: 'beginPasskeySignIn',
      // Nothing is stored.
      action: null,
      summary: 'What a browser needs to sign with a passkey; each challenge expires soon and is answered once',
      responses: { 200: optionsShape },
      errors: ['passkeys_unavailable', 'secrets_unavailable', 'forbidden', 'console_only'],
      async handle() {
        return { status: 200, body: { options: await passkeys.challenge() } };
      },
    }),
    route({
      ...forVisitors,
      method: 'POST',
      path: '/v1/session/passkey',
      operationId: 'signInWithPasskey',
      action: { name: 'session.create', concerns: [] },
      summary: 'Sign in with a passkey alone; the session is a cookie',
      body: z.object({ credential: signedChallengeShape }),
      responses: { 200: sessionShape },
      errors: [
        ...(['invalid_passkey', 'passkeys_unavailable', 'rate_limited'] as const),
        ...(['forbidden', 'console_only'] as const),
      ],
      async handle({ body: { credential }, ip, headers, recordAction }) {
        const signedIn = recordAction<SignedIn>((one) => ({ actor: personActor(one), target: one.userId }));
        const begun = await throttle.run({ email: null, ip }, () =>
          passkeys.signIn(signedChallengeOf(credential), originOf({ ip, headers }), signedIn),
        );
        // As with every sign-in, the previous session of the browser ends.
        const before = typeof headers.cookie === 'string' ? cookie.read(headers.cookie) : null;
        if (before !== null) await sessions.end(before);
        return sessionAnswer(200, begun);
      },
    }),
  ];
}
