// GET /v1/organizations and /v1/organizations/:org_id of the operator API.
import { z } from 'zod';
import type { Organizations } from '../../access/app/organizations.js';
import { usageView } from '../../access/http/account-view.js';
import { accountLimitTable, limitsOf } from '../../platform/domain/account-limits.js';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, time } from '../../platform/http/values.js';
import type { ListedOrganization, OperatorLists } from '../app/operator-lists.js';

export interface OperatorOrganizationDeps {
  readonly lists: Pick<OperatorLists, 'organizations' | 'countsAndUsage'>;
  readonly organizations: Pick<Organizations, 'find'>;
  readonly limits: Limits;
}

const status = z.enum(['active', 'suspended', 'closed']);

const organizationFields = {
  id: z.int().meta({ description: 'Number of the organization' }),
  org_id: z.string(),
  slug: z.string(),
  name: z.string(),
  status,
  payments_blocked: z.boolean(),
  created_at: time,
  members: count,
  macs: count.meta({ description: 'Number of Macs whose rental has not ended' }),
  stored_bytes: count,
};

const { stored_bytes: _, ...detailFields } = organizationFields;

const detailShape = z
  .object({
    ...detailFields,
    usage: z.object({
      contents_bytes: count,
      artifacts_bytes: count,
      logs_bytes: count,
      records_bytes: count,
      held_slots: count,
    }),
    limits: z.array(
      z.object({
        name: z.string(),
        option: z.string().meta({ description: 'Field of `org.set-limits`, in the unit' }),
        meaning: z.string(),
        unit: z.object({ name: z.string(), size: count }).nullable(),
        value: count,
        default: count,
        changed: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'OperatorOrganization' });

export function createOperatorOrganizationRoutes(deps: OperatorOrganizationDeps): AnyRoute[] {
  const { lists, limits } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/organizations',
      operationId: 'listOrganizations',
      level: 'read',
      summary: 'All organizations, the newest first',
      query: z.object({
        ...pageParams(limits),
        status: status.optional(),
        q: z.string().max(100).optional().meta({ description: 'Part of a name or slug, or an id' }),
      }),
      responses: {
        200: z
          .object({
            data: z.array(z.object(organizationFields).meta({ id: 'ListedOrganization' })),
            next_cursor: nextCursor,
          })
          .meta({ id: 'OrganizationPage' }),
      },
      async handle({ query }) {
        const { limit = limits.list_limit_default, cursor } = query;
        const found = await lists.organizations({
          status: query.status ?? null,
          text: query.q ?? null,
          limit: limit + 1,
          beforeId: cursor?.at ?? null,
        });
        const { page, next } = pageOf(found, limit, ({ id }) => ({ at: id, id: 'o' }));
        return { status: 200, body: { data: page.map(listedView), next_cursor: next } };
      },
    }),
    detailRoute(deps),
  ];
}

function detailRoute({ lists, organizations, limits }: OperatorOrganizationDeps): AnyRoute {
  return route({
    method: 'GET',
    path: '/v1/organizations/:org_id',
    operationId: 'getOrganization',
    level: 'read',
    summary: 'One organization with its usage and limits',
    params: z.object({ org_id: z.string() }),
    responses: { 200: detailShape },
    async handle({ params }) {
      const organization = await organizations.find(params.org_id);
      const { members, macs, usage } = await lists.countsAndUsage(organization.id);
      const current = limitsOf(organization, limits);
      const body: z.infer<typeof detailShape> = {
        id: organization.id,
        org_id: organization.orgId,
        slug: organization.slug,
        name: organization.name,
        status: organization.status,
        payments_blocked: organization.paymentsBlocked,
        created_at: new Date(organization.createdAt).toISOString(),
        members,
        macs,
        usage: usageView(usage),
        limits: Object.entries(accountLimitTable).map(([name, { option, unit, fallback, meaning }]) => ({
          name,
          option: option.replaceAll('-', '_'),
          meaning,
          unit,
          default: limits[fallback],
          value: current[name as keyof typeof current],
          changed: Object.hasOwn(organization.limits, name),
        })),
      };
      return { status: 200, body };
    },
  });
}

const listedView = (one: ListedOrganization) => ({
  id: one.id,
  org_id: one.orgId,
  slug: one.slug,
  name: one.name,
  status: one.status,
  payments_blocked: one.paymentsBlocked,
  created_at: new Date(one.createdAt).toISOString(),
  members: one.members,
  macs: one.macs,
  stored_bytes: one.storedBytes,
});
