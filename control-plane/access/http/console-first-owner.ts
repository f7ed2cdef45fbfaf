// /v1/first-owner: whether the service is empty, and creating its first person with the token that the server printed
// on startup.
import { z } from 'zod';
import { personActor } from '../../platform/domain/audit-entry.js';
import type { Limits } from '../../platform/domain/limits.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count } from '../../platform/http/values.js';
import type { FirstOrganization, FirstOwner } from '../app/first-owner.js';
import { originOf, type SessionAnswer } from './console-session-answer.js';
import { nameShape } from './name-shape.js';
import { sessionShape } from './session-view.js';

export interface FirstOwnerRoutesDeps {
  readonly firstOwner: FirstOwner;
  readonly sessionAnswer: SessionAnswer;
  readonly limits: Limits;
}

export function createFirstOwnerRoutes({ firstOwner, sessionAnswer, limits }: FirstOwnerRoutesDeps): AnyRoute[] {
  const label = nameShape(limits);
  return [
    route({
      method: 'GET',
      path: '/v1/first-owner',
      operationId: 'getFirstOwner',
      level: null,
      summary: 'Whether the service waits for its first person, and what their password needs',
      responses: {
        200: z
          .object({
            missing: z.boolean().meta({ description: 'The service has no people yet' }),
            password_chars_min: count,
          })
          .meta({ id: 'FirstOwnerState' }),
      },
      async handle() {
        const missing = await firstOwner.isMissing();
        return { status: 200, body: { missing, password_chars_min: limits.password_chars_min } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/first-owner',
      operationId: 'createFirstOwner',
      level: null,
      action: { name: 'organization.create_first', concerns: ['status', 'usage', 'members', 'workspaces'] },
      sameOrigin: true,
      summary: 'Create the first person of an empty service with an organization, and sign in',
      body: z.object({
        token: z.string(),
        email: z.string(),
        password: z.string(),
        name: label.nullish(),
        organization: label,
      }),
      responses: { 201: sessionShape },
      errors: ['forbidden', 'console_only', 'rate_limited'],
      async handle({ body, ip, headers, recordAction }) {
        const claim = { ...body, name: body.name ?? null };
        const claimed = recordAction<FirstOrganization>(({ id, orgId, owner }) => ({
          target: orgId,
          accountId: id,
          actor: personActor(owner),
        }));
        const begun = await firstOwner.claim(claim, originOf({ ip, headers }), claimed);
        return sessionAnswer(201, begun);
      },
    }),
  ];
}
