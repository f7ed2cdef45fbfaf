// /v1/password-reset: for people who have forgotten their password.
import { z } from 'zod';
import { personActor } from '../../platform/domain/audit-entry.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { User } from '../../platform/domain/person.js';
import { personLanguage } from '../../platform/http/person-language.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, time } from '../../platform/http/values.js';
import type { PasswordResets } from '../app/password-resets.js';
import type { Sessions } from '../app/sessions.js';
import { checkedEmail } from '../app/users.js';
import type { PasswordResetThrottle } from './password-reset-throttle.js';
import type { SignInThrottle } from './sign-in-throttle.js';

export interface PasswordResetRoutesDeps {
  readonly resets: PasswordResets;
  readonly sessions: Pick<Sessions, 'personWith'>;
  readonly requests: PasswordResetThrottle;
  readonly throttle: SignInThrottle;
  readonly limits: Pick<Limits, 'password_chars_min' | 'password_reset_ms'>;
}

const forVisitors = { level: null, sameOrigin: true, confidential: true } as const;
const refusals = ['rate_limited', 'forbidden', 'console_only'] as const;

export function createPasswordResetRoutes(deps: PasswordResetRoutesDeps): AnyRoute[] {
  const { resets, sessions, requests, throttle, limits } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/password-reset',
      operationId: 'getPasswordReset',
      level: null,
      summary: 'Whether links for a new password are mailed, and what a password needs',
      responses: {
        200: z
          .object({
            sends_mail: z.boolean().meta({ description: 'False: only an operator makes links' }),
            valid_s: count,
            password_chars_min: count,
          })
          .meta({ id: 'PasswordResetState' }),
      },
      async handle() {
        const { password_chars_min, password_reset_ms } = limits;
        const valid_s = Math.round(password_reset_ms / 1_000);
        return { status: 200, body: { sends_mail: resets.sendsMail, valid_s, password_chars_min } };
      },
    }),
    route({
      ...forVisitors,
      method: 'POST',
      path: '/v1/password-reset/request',
      operationId: 'requestPasswordReset',
      action: { name: 'user.request_password_reset', concerns: [] },
      summary: 'Mail a link for a new password, if a user has the address; the answer is the same for all addresses',
      body: z.object({ email: z.string() }),
      responses: { 204: null },
      errors: ['invalid_request', ...refusals],
      async handle({ body, ip, headers, concerns, recordAction }) {
        const email = checkedEmail(body.email);
        if (!resets.sendsMail) {
          const message =
            'This service sends no mail. Ask its operator for a link (cidermill admin user reset-password).';
          throw new ApiError('invalid_request', { message });
        }
        await requests.take({ email, ip });
        // The same work is done for every address before the response: one query, and the entry in the audit log.
        concerns({ target: await sessions.personWith(email) });
        await resets.request(email, personLanguage(headers) ?? null, recordAction());
        return { status: 204, body: null };
      },
    }),
    route({
      ...forVisitors,
      method: 'POST',
      path: '/v1/password-reset/lookup',
      operationId: 'lookUpPasswordReset',
      action: null,
      summary: 'The person of a link for a new password; changes nothing',
      body: z.object({ token: z.string() }),
      responses: { 200: z.object({ email: z.string(), expires_at: time }).meta({ id: 'OpenPasswordReset' }) },
      errors: ['not_found', ...refusals],
      async handle({ body, ip }) {
        const { user, expiresAt } = await throttle.run({ email: null, ip }, () => resets.find(body.token));
        return { status: 200, body: { email: user.email, expires_at: new Date(expiresAt).toISOString() } };
      },
    }),
    route({
      ...forVisitors,
      method: 'POST',
      path: '/v1/password-reset',
      operationId: 'resetPassword',
      action: { name: 'user.reset_password', concerns: [] },
      summary: 'Choose a new password with the token of a link; all sessions of the person end',
      body: z.object({ token: z.string(), password: z.string() }),
      responses: { 200: z.object({ email: z.string() }).meta({ id: 'PasswordReset' }) },
      errors: ['not_found', 'invalid_request', ...refusals],
      async handle({ body: { token, password }, ip, recordAction }) {
        const done = recordAction<User>((user) => ({ actor: personActor(user), target: user.userId }));
        const { email } = await throttle.run({ email: null, ip }, () => resets.reset(token, password, done));
        return { status: 200, body: { email } };
      },
    }),
  ];
}
