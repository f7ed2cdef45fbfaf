// POST /v1/session/confirm: confirms again who the person is, which routes with `confirm` require.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import type { ConfirmSession } from '../app/session-confirmation.js';
import { confirmGivenOf, confirmGivenShape } from './confirm-given.js';
import { countingGuesses, identityErrors } from './console-session-provider.js';
import type { SignInThrottle } from './sign-in-throttle.js';

export interface SessionConfirmDeps {
  readonly confirm: ConfirmSession;
  readonly throttle: SignInThrottle;
  readonly limits: Pick<Limits, 'session_confirm_ms'>;
}

export function createSessionConfirmRoutes({ confirm, throttle, limits }: SessionConfirmDeps): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/session/confirm',
      operationId: 'confirmSession',
      level: 'read',
      action: { name: 'session.confirm', concerns: [] },
      beyondRecordsLimit: 'person',
      consoleOnly: true,
      summary:
        'Confirm again who you are, which payments, keys, people, secrets and dangerous commands of operators require',
      body: confirmGivenShape,
      confidential: true,
      responses: {
        200: z
          .object({ confirmed_until: time.meta({ description: 'Until then the person is not asked again' }) })
          .meta({ id: 'SessionConfirmation' }),
      },
      errors: [
        ...(['invalid_credentials', 'invalid_code', 'invalid_passkey', 'passkeys_unavailable'] as const),
        ...identityErrors,
        ...(['rate_limited', 'secrets_unavailable'] as const),
      ],
      async handle({ body, session, ip, recordAction, concerns }) {
        concerns({ target: session.userId });
        const use = () => confirm(session, confirmGivenOf(body), recordAction());
        const at = await (body.provider
          ? countingGuesses(throttle, ip, use)
          : throttle.run({ email: session.email, ip }, use));
        const until = new Date(at + limits.session_confirm_ms).toISOString();
        return { status: 200, body: { confirmed_until: until } };
      },
    }),
  ];
}
