// POST, GET and DELETE /v1/session, POST /v1/session/password.
import { z } from 'zod';
import { personActor } from '../../platform/domain/audit-entry.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { SignedIn } from '../../platform/domain/person.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { HalfSignedIn, Sessions } from '../app/sessions.js';
import { originOf, type SessionAnswer } from './console-session-answer.js';
import type { SessionCookie } from './session-cookie.js';
import { type SessionView, sessionShape } from './session-view.js';
import type { SignInThrottle } from './sign-in-throttle.js';

export interface SessionRoutesDeps {
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly throttle: SignInThrottle;
  readonly sessionAnswer: SessionAnswer;
  readonly view: SessionView;
}

export function createSessionRoutes(deps: SessionRoutesDeps): AnyRoute[] {
  const { sessions, cookie, throttle, sessionAnswer, view } = deps;

  return [
    route({
      method: 'POST',
      path: '/v1/session',
      operationId: 'signIn',
      level: null,
      action: { name: 'session.create', concerns: [] },
      sameOrigin: true,
      summary: 'Sign in with e-mail and password; the session is a cookie',
      body: z.object({ email: z.string(), password: z.string() }),
      responses: { 200: sessionShape },
      errors: ['invalid_credentials', 'second_factor_required', 'rate_limited', 'forbidden', 'console_only'],
      async handle({ body, ip, headers, recordAction, concerns }) {
        // The address itself is not kept: people type their password into the wrong field.
        concerns({ target: await sessions.personWith(body.email) });
        const signedIn = recordAction<SignedIn>((person) => ({
          actor: personActor(person),
          target: person.userId,
        }));
        const begun = await throttle.run({ email: body.email, ip }, () =>
          sessions.signIn(body, originOf({ ip, headers }), signedIn),
        );
        if ('secondStep' in begun) throw secondFactorRequired(begun.secondStep);
        // Each sign-in gets a new token; the previous session ends.
        const before = cookie.read(single(headers.cookie) ?? undefined);
        if (before !== null) await sessions.end(before);
        return sessionAnswer(200, begun);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/session',
      operationId: 'getSession',
      level: 'read',
      consoleOnly: true,
      summary: 'The signed-in person and their organizations',
      responses: { 200: sessionShape },
      async handle({ session }) {
        return { status: 200, body: await view(session) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/session',
      operationId: 'signOut',
      level: 'read',
      action: { name: 'session.delete', concerns: [] },
      consoleOnly: true,
      summary: 'Sign out',
      responses: { 204: null },
      async handle({ headers, session, concerns, recordAction }) {
        concerns({ target: session.userId });
        const token = cookie.read(single(headers.cookie) ?? undefined);
        if (token !== null) await sessions.end(token, recordAction());
        return { status: 204, headers: { 'set-cookie': cookie.clear() }, body: null };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/session/password',
      operationId: 'changePassword',
      level: 'read',
      action: { name: 'user.change_password', concerns: ['members'] },
      beyondRecordsLimit: 'person',
      consoleOnly: true,
      summary: 'Change the password; all sessions of the person end, and a new one starts',
      body: z.object({ current: z.string(), new: z.string() }),
      responses: { 200: sessionShape },
      errors: ['invalid_credentials', 'rate_limited', 'invalid_request'],
      async handle({ body, session, ip, headers, recordAction, concerns }) {
        concerns({ target: session.userId });
        const begun = await throttle.run({ email: session.email, ip }, () =>
          sessions.changePassword(
            session,
            { current: body.current, next: body.new },
            originOf({ ip, headers }),
            recordAction(),
          ),
        );
        return sessionAnswer(200, begun);
      },
    }),
  ];
}

/** After the first step of a sign-in. */
export function secondFactorRequired({ ticket, expiresAt }: HalfSignedIn['secondStep']): ApiError {
  const detail = { second_step: ticket, expires_at: new Date(expiresAt).toISOString() };
  return new ApiError('second_factor_required', { detail });
}

const single = (value: string | string[] | undefined): string | null => (typeof value === 'string' ? value : null);
