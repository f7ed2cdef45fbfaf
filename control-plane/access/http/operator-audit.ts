// GET /v1/audit of the operator API: the audit log of all organizations, as pages or as a file.
import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf } from '../../platform/http/page.js';
import { pastParam } from '../../platform/http/query.js';
import { type AnyRoute, type RouteReply, route } from '../../platform/http/route.js';
import type { AuditLog } from '../app/audit-log.js';
import type { Organizations } from '../app/organizations.js';
import { answerAudit, auditParams, exportTypes, searchOf } from './audit-list.js';
import { auditEntryShape, auditEntryView } from './audit-view.js';

export interface OperatorAuditDeps {
  readonly auditLog: Pick<AuditLog, 'search' | 'read' | 'newest'>;
  readonly clock: { now(): number };
  readonly organizations: Pick<Organizations, 'find'>;
  readonly limits: Limits;
}

export function createOperatorAuditRoutes(deps: OperatorAuditDeps): AnyRoute[] {
  const { auditLog, organizations, limits, clock } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/audit',
      operationId: 'listAuditEntries',
      level: 'read',
      summary: 'The audit log of all organizations, newest first; as a file with `format`',
      query: z.object({
        ...auditParams(limits),
        since: pastParam(clock).optional(),
        org: z.string().optional().meta({ description: 'Id, slug or number of an organization' }),
        order: z.enum(['newest', 'oldest']).optional().meta({
          description:
            'oldest: the oldest first, without entries written after the first page; only with since and org',
        }),
      }),
      responses: {
        200: [
          z
            .object({
              data: z.array(
                auditEntryShape
                  .extend({ org_id: z.string().nullable(), org_slug: z.string().nullable() })
                  .meta({ id: 'OperatorAuditEntry' }),
              ),
              next_cursor: nextCursor,
            })
            .meta({ id: 'OperatorAuditPage' }),
          ...Object.values(exportTypes),
        ],
      },
      async handle({ query }) {
        const accountId = query.org === undefined ? undefined : (await organizations.find(query.org)).id;
        if (query.order === 'oldest') return answerOldest(deps, query, accountId ?? null);
        const search = { ...searchOf(query), accountId };
        return answerAudit(query, {
          limits,
          withOrganization: true,
          async read(after, limit) {
            const found = await auditLog.search(search, { after, limit });
            return found.map((entry) => ({
              entry,
              view: { ...auditEntryView(entry), org_id: entry.orgId, org_slug: entry.orgSlug },
            }));
          },
        });
      },
    }),
  ];
}

type Query = z.output<z.ZodObject<ReturnType<typeof auditParams>>>;

/** The cursor also names the newest entry when the first page was read: what is added later belongs to the next export. */
async function answerOldest(
  { auditLog, limits }: OperatorAuditDeps,
  { limit = limits.audit_page_max, cursor, since }: Query,
  accountId: number | null,
): Promise<RouteReply> {
  const [id = '', upToText] = cursor?.id.split('_') ?? [];
  const upTo = upToText === undefined ? await auditLog.newest() : Number(upToText);
  if (cursor && !(/^\d{1,15}$/.test(id) && Number.isSafeInteger(upTo))) {
    throw fieldError('invalid_request', 'cursor', fieldProblem('not_a_cursor'));
  }
  const found = await auditLog.read(
    { accountId, since: since ?? 0, upTo },
    { after: cursor ? { at: cursor.at, id: Number(id) } : null, limit: limit + 1 },
  );
  const { page, next } = pageOf(found, limit, (last) => ({ at: last.at, id: `${last.id}_${upTo}` }));
  const data = page.map((entry) => ({ ...auditEntryView(entry), org_id: entry.orgId, org_slug: entry.orgSlug }));
  return { status: 200, body: { data, next_cursor: next } };
}
