// GET /v1/organizations/:org_id/members of the operator API.
import { z } from 'zod';
import { pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Organizations } from '../app/organizations.js';
import { answerMembers, type MemberListDeps, memberListShape } from './member-list.js';

export interface OperatorMemberDeps extends MemberListDeps {
  readonly organizations: Pick<Organizations, 'find'>;
}

export function createOperatorMemberRoutes(deps: OperatorMemberDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:org_id/members',
      operationId: 'listMembers',
      level: 'read',
      summary: 'Members of an organization, in the order in which they joined',
      params: z.object({ org_id: z.string() }),
      query: z.object(pageParams(deps.limits)),
      responses: { 200: memberListShape },
      async handle({ params, query }) {
        const { id } = await deps.organizations.find(params.org_id);
        return answerMembers(deps, id, query, null);
      },
    }),
  ];
}
