// POST /v1/invites/lookup and /v1/invites/accept: for anybody with the link of an invitation.
import { z } from 'zod';
import { personActor } from '../../platform/domain/audit-entry.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SignedIn } from '../../platform/domain/person.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Accepted, InviteAcceptance } from '../app/invite-acceptance.js';
import type { Sessions } from '../app/sessions.js';
import { originOf, type SessionAnswer } from './console-session-answer.js';
import { countingGuesses, identityErrors } from './console-session-provider.js';
import { identityAnswerShape } from './identity-shape.js';
import { openInviteShape, openInviteView } from './invite-view.js';
import { nameShape } from './name-shape.js';
import type { SessionCookie } from './session-cookie.js';
import { type SessionView, sessionShape } from './session-view.js';
import type { SignInThrottle } from './sign-in-throttle.js';

export interface InviteAcceptRoutesDeps {
  readonly acceptance: InviteAcceptance;
  readonly sessions: Pick<Sessions, 'find' | 'end'>;
  readonly cookie: SessionCookie;
  readonly throttle: SignInThrottle;
  readonly sessionAnswer: SessionAnswer;
  readonly view: SessionView;
  readonly limits: Limits;
}

export function createInviteAcceptRoutes(deps: InviteAcceptRoutesDeps): AnyRoute[] {
  const { acceptance, sessions, cookie, throttle, sessionAnswer, view, limits } = deps;
  const name = nameShape(limits);

  const tokenIn = (headers: Readonly<Record<string, unknown>>): string | null =>
    typeof headers.cookie === 'string' ? cookie.read(headers.cookie) : null;

  return [
    route({
      method: 'POST',
      path: '/v1/invites/lookup',
      operationId: 'lookUpInvite',
      level: null,
      action: null,
      sameOrigin: true,
      summary: 'The open invitation of a token; changes nothing',
      body: z.object({ token: z.string() }),
      responses: { 200: openInviteShape },
      errors: ['not_found', 'rate_limited', 'forbidden', 'console_only'],
      async handle({ body, ip }) {
        const found = await throttle.run({ email: null, ip }, () => acceptance.find(body.token));
        return { status: 200, body: openInviteView(found, limits) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/invites/accept',
      operationId: 'acceptInvite',
      level: null,
      action: { name: 'invite.accept', concerns: ['invites', 'members', 'workspaces'] },
      sameOrigin: true,
      summary:
        'Accept an invitation: with a session, the password or the identity provider of the invited person, or with name and password of a new one. Signs in',
      body: z.object({
        token: z.string(),
        name: name.nullish(),
        password: z.string().optional(),
        provider: identityAnswerShape.optional(),
      }),
      responses: { 200: sessionShape },
      errors: [
        ...(['not_found', 'invalid_credentials', 'second_factor_required'] as const),
        ...identityErrors,
        ...(['organization_suspended', 'identity_not_linked', 'identity_not_invited', 'identity_taken'] as const),
        ...(['rate_limited', 'forbidden', 'console_only'] as const),
      ],
      async handle({ body, ip, headers, recordAction }) {
        const before = tokenIn(headers);
        const session: SignedIn | null = before === null ? null : await sessions.find(before);
        const accepted = recordAction<Accepted>(({ invite, user }) => ({
          target: invite.inviteId,
          accountId: invite.accountId,
          actor: personActor(user),
        }));
        const accept = () => acceptance.accept(body, session, originOf({ ip, headers }), accepted);
        // Guesses of a person's password count as those at the sign-in.
        const email = await acceptance.emailOf(body.token);
        const begun = await (body.provider
          ? countingGuesses(throttle, ip, accept)
          : throttle.run({ email, ip }, accept));
        if (begun === null) {
          if (session === null) throw new Error('accepted without a session');
          return { status: 200, body: await view(session) };
        }
        // As with every sign-in, the previous session of the browser ends.
        if (before !== null) await sessions.end(before);
        return sessionAnswer(200, begun);
      },
    }),
  ];
}
