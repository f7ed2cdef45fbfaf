// GET /v1/organizations/:org_id/members, PATCH and DELETE …/members/:user_id.
import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { roles } from '../../platform/domain/role.js';
import { because } from '../../platform/http/issue-problem.js';
import { pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Members } from '../app/members.js';
import type { Member } from '../domain/member.js';
import { answerMembers, memberListShape } from './member-list.js';
import { memberShape, memberView } from './member-view.js';

const PATH = '/v1/organizations/:org_id/members';
const one = {
  path: `${PATH}/:user_id`,
  consoleOnly: true,
  params: z.object({ org_id: z.string(), user_id: z.string() }),
};

const change = z
  .object({ role: z.enum(roles).optional(), workspace_ids: z.array(z.string()).max(1_000).optional() })
  .refine(({ role, workspace_ids }) => role !== undefined || workspace_ids !== undefined, {
    ...because(fieldProblem('one_of_needed', { names: 'role, workspace_ids' })),
    path: ['role'],
  });

export interface MemberRoutesDeps {
  readonly members: Members;
  readonly limits: Limits;
}

export function createMemberRoutes({ members, limits }: MemberRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: PATH,
      operationId: 'listMembers',
      level: 'read',
      consoleOnly: true,
      summary: 'Members of the organization, in the order in which they joined',
      query: z.object(pageParams(limits)),
      responses: { 200: memberListShape },
      handle({ caller, query }) {
        // Developers do not learn which other workspaces there are.
        return answerMembers({ members, limits }, caller.account.id, query, caller.workspaceIds);
      },
    }),
    route({
      method: 'PATCH',
      ...one,
      operationId: 'changeMember',
      level: 'manage',
      action: { name: 'member.change', concerns: ['members', 'workspaces'] },
      confirm: true,
      roles: ['owner', 'admin'],
      summary: 'Change the role of a member, or the workspaces that a developer sees',
      body: change,
      responses: { 200: memberShape },
      errors: ['not_found', 'last_owner', 'invalid_request'],
      async handle({ caller, session, params, body, recordAction }) {
        const of = { accountId: caller.account.id, userId: params.user_id };
        const wanted = { role: body.role, workspaceIds: body.workspace_ids };
        const changed = await members.change(of, wanted, session, recordAction<Member>());
        return { status: 200, body: memberView(changed) };
      },
    }),
    route({
      method: 'DELETE',
      ...one,
      operationId: 'removeMember',
      level: 'read',
      action: { name: 'member.remove', concerns: ['members', 'workspaces'] },
      confirm: true,
      summary: 'Remove a member, or leave the organization; keys that they have created stay',
      responses: { 204: null },
      errors: ['not_found', 'last_owner', 'insufficient_permission'],
      async handle({ caller, session, params, recordAction }) {
        const leaves = session.userId === params.user_id;
        if (!leaves && caller.person?.role === 'developer') throw new ApiError('insufficient_permission');
        const of = { accountId: caller.account.id, userId: params.user_id };
        await members.remove(of, session, recordAction<Member>());
        return { status: 204, body: null };
      },
    }),
  ];
}
