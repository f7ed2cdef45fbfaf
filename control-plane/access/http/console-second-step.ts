// POST /v1/session/second-step: the code after the password.
import { z } from 'zod';
import { personActor } from '../../platform/domain/audit-entry.js';
import type { SignedIn } from '../../platform/domain/person.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { SecondStep } from '../app/second-step.js';
import type { Sessions } from '../app/sessions.js';
import { originOf, type SessionAnswer } from './console-session-answer.js';
import type { SessionCookie } from './session-cookie.js';
import { sessionShape } from './session-view.js';
import type { SignInThrottle } from './sign-in-throttle.js';

export interface SecondStepRoutesDeps {
  readonly secondStep: SecondStep;
  readonly sessions: Pick<Sessions, 'end'>;
  readonly cookie: SessionCookie;
  readonly throttle: SignInThrottle;
  readonly sessionAnswer: SessionAnswer;
}

export function createSecondStepRoutes(deps: SecondStepRoutesDeps): AnyRoute[] {
  const { secondStep, sessions, cookie, throttle, sessionAnswer } = deps;
  return [
    route({
      method: 'POST',
      path: '/v1/session/second-step',
      operationId: 'completeSignIn',
      level: null,
      action: { name: 'session.create', concerns: [] },
      sameOrigin: true,
      summary: 'Sign in with a code, after the password was right',
      body: z.object({
        token: z.string().meta({ description: '`details.second_step` of `second_factor_required`' }),
        code: z.string().meta({ description: 'Of the authenticator app, or a recovery code' }),
      }),
      confidential: true,
      responses: { 200: sessionShape },
      errors: [
        ...(['invalid_code', 'sign_in_expired', 'rate_limited', 'secrets_unavailable'] as const),
        ...(['forbidden', 'console_only'] as const),
      ],
      async handle({ body: { token, code }, ip, headers, recordAction, concerns }) {
        const person = await secondStep.personOf(token);
        concerns({ target: person?.userId ?? null });
        const signedIn = recordAction<SignedIn>((one) => ({ actor: personActor(one), target: one.userId }));
        const begun = await throttle.run({ email: person?.email ?? null, ip }, () =>
          secondStep.complete({ ticket: token, code }, originOf({ ip, headers }), signedIn),
        );
        // As with every sign-in, the previous session of the browser ends.
        const before = typeof headers.cookie === 'string' ? cookie.read(headers.cookie) : null;
        if (before !== null) await sessions.end(before);
        return sessionAnswer(200, begun);
      },
    }),
  ];
}
