// GET and POST /v1/organizations/:org_id/invites, DELETE …/invites/:invite_id.
import { z } from 'zod';
import { type Role, roles } from '../../platform/domain/role.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Invite, Invites } from '../app/invites.js';
import { inviteShape, inviteView } from './invite-view.js';

const PATH = '/v1/organizations/:org_id/invites';
const people: { consoleOnly: true; roles: readonly Role[] } = {
  consoleOnly: true,
  roles: ['owner', 'admin'],
};

const newInviteShape = inviteShape
  .extend({
    accept_url: z.string(),
    mailed: z.boolean().meta({ description: 'False: no mail server is configured; pass the address on' }),
  })
  .meta({ id: 'NewInvite' });

export function createInviteRoutes({ invites }: { invites: Invites }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: PATH,
      operationId: 'listInvites',
      level: 'manage',
      ...people,
      summary: 'Invitations that have not been accepted and have not expired, newest first',
      responses: { 200: z.object({ data: z.array(inviteShape) }).meta({ id: 'InviteList' }) },
      async handle({ caller }) {
        const found = await invites.list(caller.account.id);
        return {
          status: 200,
          body: { data: found.map((invite) => inviteView(invite, invite.inviterEmail)) },
        };
      },
    }),
    route({
      method: 'POST',
      path: PATH,
      operationId: 'createInvite',
      level: 'manage',
      action: { name: 'invite.create', made: 'id', concerns: ['invites', 'members', 'workspaces'] },
      confirm: true,
      ...people,
      summary:
        'Invite a person; an open invitation of the same address is replaced. accept_url is only in this response',
      body: z.object({
        email: z.string(),
        role: z.enum(roles),
        workspace_ids: z.array(z.string()).max(1_000).optional(),
      }),
      responses: { 201: newInviteShape },
      errors: ['invalid_request', 'invites_limit'],
      async handle({ caller, session, body, recordAction }) {
        const created = recordAction<Invite>(({ inviteId }) => ({ target: inviteId }));
        const wanted = { email: body.email, role: body.role, workspaceIds: body.workspace_ids };
        const invite = await invites.create(caller.account.id, wanted, session, created);
        return {
          status: 201,
          body: { ...inviteView(invite, session.email), accept_url: invite.acceptUrl, mailed: invite.mailed },
        };
      },
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/:invite_id`,
      operationId: 'revokeInvite',
      level: 'manage',
      action: { name: 'invite.revoke', concerns: ['invites', 'members', 'workspaces'] },
      confirm: true,
      ...people,
      summary: 'Revoke an invitation',
      params: z.object({ org_id: z.string(), invite_id: z.string() }),
      responses: { 204: null },
      errors: ['not_found'],
      async handle({ caller, session, params, recordAction }) {
        const of = { accountId: caller.account.id, inviteId: params.invite_id };
        await invites.revoke(of, session, recordAction());
        return { status: 204, body: null };
      },
    }),
  ];
}
