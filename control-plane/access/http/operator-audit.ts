// GET /v1/audit of the operator API: the audit log of all organizations, as pages or as a file.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { AuditLog } from '../app/audit-log.js';
import type { Organizations } from '../app/organizations.js';
import { answerAudit, auditParams, exportTypes, searchOf } from './audit-list.js';
import { auditEntryShape, auditEntryView } from './audit-view.js';

export interface OperatorAuditDeps {
  readonly auditLog: Pick<AuditLog, 'search'>;
  readonly organizations: Pick<Organizations, 'find'>;
  readonly limits: Limits;
}

export function createOperatorAuditRoutes(deps: OperatorAuditDeps): AnyRoute[] {
  const { auditLog, organizations, limits } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/audit',
      operationId: 'listAuditEntries',
      level: 'read',
      summary: 'The audit log of all organizations, newest first; as a file with `format`',
      query: z.object({
        ...auditParams(limits),
        org: z.string().optional().meta({ description: 'Id, slug or number of an organization' }),
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
