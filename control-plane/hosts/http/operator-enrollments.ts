// GET /v1/enrollments of the operator API.
import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Hosts } from '../app/hosts.js';
import { approvalShape, approvalView, tokenShape, tokenView } from './enrollment-view.js';

export function createEnrollmentRoutes(deps: {
  readonly hosts: Pick<Hosts, 'enrolmentTokens' | 'approvals'>;
  readonly siteUrl: string;
}): AnyRoute[] {
  const { hosts, siteUrl } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/enrollments',
      operationId: 'listEnrollments',
      level: 'read',
      summary: 'Tokens that have not expired, and machines that wait for approval',
      responses: {
        200: z
          .object({
            tokens: z.array(tokenShape),
            approvals: z.array(approvalShape).meta({ description: 'The oldest first' }),
            install: z.object({
              with_token: z.string().meta({ description: 'TOKEN stands for the token' }),
              with_code: z.string(),
            }),
          })
          .meta({ id: 'Enrollments' }),
      },
      async handle() {
        const install = `curl -fsSL ${siteUrl}/install/host-agent | sudo sh -s --`;
        return {
          status: 200,
          body: {
            tokens: (await hosts.enrolmentTokens()).map(tokenView),
            approvals: (await hosts.approvals()).map(approvalView),
            install: { with_token: `${install} --token TOKEN`, with_code: install },
          },
        };
      },
    }),
  ];
}
