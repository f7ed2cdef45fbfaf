// GET /v1/organizations/:org_id/audit.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { AuditLog } from '../app/audit-log.js';
import { answerAudit, auditParams, exportTypes, searchOf } from './audit-list.js';
import { auditEntryShape, memberAuditEntryView } from './audit-view.js';

export interface AuditRoutesDeps {
  readonly auditLog: Pick<AuditLog, 'search'>;
  readonly limits: Limits;
}

export function createAuditRoutes({ auditLog, limits }: AuditRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:org_id/audit',
      operationId: 'listAuditEntries',
      level: 'manage',
      consoleOnly: true,
      roles: ['owner'],
      summary: 'Audit log of the organization, newest first; as a file with `format`',
      query: z.object(auditParams(limits)),
      responses: {
        200: [
          z.object({ data: z.array(auditEntryShape), next_cursor: nextCursor }).meta({ id: 'AuditPage' }),
          ...Object.values(exportTypes),
        ],
      },
      handle({ caller, query }) {
        const search = { ...searchOf(query), accountId: caller.account.id, hideOperators: true };
        return answerAudit(query, {
          limits,
          withOrganization: false,
          async read(after, limit) {
            const found = await auditLog.search(search, { after, limit });
            return found.map((entry) => ({ entry, view: memberAuditEntryView(entry) }));
          },
        });
      },
    }),
  ];
}
