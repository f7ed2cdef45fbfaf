// GET /v1/organizations/:org_id/audit.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { integerParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { AuditLog, AuditPosition } from '../app/audit-log.js';
import { auditEntryShape, memberAuditEntryView } from './audit-view.js';

export interface AuditRoutesDeps {
  readonly auditLog: Pick<AuditLog, 'list'>;
  readonly limits: Limits;
}

export function createAuditRoutes({ auditLog, limits }: AuditRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:org_id/audit',
      consoleOnly: true,
      roles: ['owner'],
      summary: 'Audit log of the organization, newest first',
      query: z.object({
        limit: integerParam(1, limits.list_limit_max).optional(),
        cursor: cursorParam.optional(),
      }),
      responses: {
        200: z
          .object({ data: z.array(auditEntryShape), next_cursor: z.string().nullable() })
          .meta({ id: 'AuditPage' }),
      },
      async handle({ caller, query }) {
        const limit = query.limit ?? limits.list_limit_default;
        const found = await auditLog.list(caller.account.id, {
          after: query.cursor ?? null,
          limit: limit + 1,
        });
        const page = found.slice(0, limit);
        const last = found.length > limit ? page.at(-1) : undefined;
        return {
          status: 200,
          body: { data: page.map(memberAuditEntryView), next_cursor: last ? toAuditCursor(last) : null },
        };
      },
    }),
  ];
}

/** @example toAuditCursor({ at: 1772355600000, id: 7 }) // '1772355600000-7' */
const toAuditCursor = ({ at, id }: AuditPosition): string => `${at}-${id}`;

const cursorParam = z
  .string()
  .transform((text, context): AuditPosition => {
    const [, at, id] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
    if (at === undefined) context.addIssue('not a next_cursor of an earlier page');
    return { at: Number(at), id: Number(id) };
  })
  .meta({ description: '`next_cursor` of the previous page' });
