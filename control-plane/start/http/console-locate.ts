import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Locate } from '../app/locate.js';

const locatedShape = z
  .object({
    kind: z.enum(['build', 'rental', 'order']),
    organization_id: z.string(),
    slug: z.string().meta({ description: 'Of the organization, in addresses of the console' }),
    workspace_id: z.string().nullable().meta({ description: 'Of a build; otherwise null' }),
  })
  .meta({ id: 'Located' });

export function createLocateRoutes({ locate }: { locate: Locate }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/locate',
      operationId: 'locate',
      level: 'read',
      consoleOnly: true,
      summary: 'The organization of a build, rental or order that the person can see',
      query: z.object({
        id: z.string().max(100).meta({ description: 'A build id, rental id or order number' }),
      }),
      responses: { 200: locatedShape },
      errors: ['not_found', 'organization_suspended'],
      async handle({ session, query }) {
        const { kind, orgId, slug, workspaceId } = await locate(session.userId, query.id);
        return { status: 200, body: { kind, organization_id: orgId, slug, workspace_id: workspaceId } };
      },
    }),
  ];
}
