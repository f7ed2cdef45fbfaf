// GET /v1/audit of the operator API: the audit log of all organizations, as pages or as a file.
import { Readable } from 'node:stream';
import { z } from 'zod';
import { cleanText } from '../../../shared/clean-text.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { timeParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { AuditLog, AuditPosition, AuditSearch } from '../app/audit-log.js';
import type { Organizations } from '../app/organizations.js';
import { type AuditEntryView, auditEntryShape, auditEntryView } from './audit-view.js';

export interface OperatorAuditDeps {
  readonly auditLog: Pick<AuditLog, 'search'>;
  readonly organizations: Pick<Organizations, 'find'>;
  readonly limits: Limits;
}

type Entry = AuditEntryView & { readonly org_id: string | null; readonly org_slug: string | null };

const types = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' } as const;

export function createOperatorAuditRoutes({
  auditLog,
  organizations,
  limits,
}: OperatorAuditDeps): AnyRoute[] {
  const read = async (search: AuditSearch, after: AuditPosition | null, limit: number) => {
    const found = await auditLog.search(search, { after, limit });
    return found.map((entry) => ({
      entry,
      view: { ...auditEntryView(entry), org_id: entry.orgId, org_slug: entry.orgSlug },
    }));
  };

  /** Reads as the client does, so that a long log is never in memory as a whole. */
  async function* lines(search: AuditSearch, format: keyof typeof types) {
    if (format === 'csv') yield `${COLUMNS.join(',')}\n`;
    for (let after: AuditPosition | null = null; ; ) {
      const found = await read(search, after, limits.audit_page_max);
      if (found.length > 0) {
        yield found
          .map(({ view }) => (format === 'csv' ? csvOf(view) : `${JSON.stringify(view)}\n`))
          .join('');
      }
      const last = found.at(-1)?.entry;
      if (last === undefined || found.length < limits.audit_page_max) return;
      after = { at: last.at, id: last.id };
    }
  }

  return [
    route({
      method: 'GET',
      path: '/v1/audit',
      summary: 'The audit log of all organizations, newest first; as a file with `format`',
      query: z.object({
        ...pageParams(limits),
        org: z.string().optional().meta({ description: 'Id, slug or number of an organization' }),
        actor: z.string().optional().meta({ description: 'Id, name or kind' }),
        action: z.string().optional().meta({ description: 'An action, or its resource: `order`' }),
        target: z.string().optional(),
        failed: z.enum(['true', 'false']).optional(),
        since: timeParam().optional(),
        until: timeParam().optional(),
        format: z.enum(['csv', 'jsonl']).optional().meta({ description: 'All entries, without pages' }),
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
          ...Object.values(types),
        ],
      },
      async handle({ query }) {
        const { limit = limits.list_limit_default, cursor, format, org, failed, ...rest } = query;
        const search: AuditSearch = {
          ...{ actor: rest.actor, action: rest.action, target: rest.target },
          ...{ since: rest.since, until: rest.until },
          failed: failed === undefined ? undefined : failed === 'true',
          accountId: org === undefined ? undefined : (await organizations.find(org)).id,
        };
        if (format !== undefined) {
          return {
            status: 200,
            type: types[format],
            headers: { 'content-disposition': `attachment; filename="audit.${format}"` },
            body: Readable.from(lines(search, format)),
          };
        }
        const after = cursor === undefined ? null : { at: cursor.at, id: idOf(cursor.id) };
        const found = await read(search, after, limit + 1);
        const { page, next } = pageOf(found, limit, ({ entry }) => ({ at: entry.at, id: String(entry.id) }));
        return { status: 200, body: { data: page.map(({ view }) => view), next_cursor: next } };
      },
    }),
  ];
}

function idOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ApiError('invalid_request', {
    message: 'cursor is not a next_cursor of an earlier page.',
    detail: { fields: ['cursor'] },
  });
}

const COLUMNS = [
  ...['at', 'org_id', 'actor_kind', 'actor_id', 'actor_name', 'ip', 'action', 'target', 'result', 'count'],
];

function csvOf({ at, org_id, actor, ip, action, target, result, count }: Entry): string {
  const cells = [at, org_id, actor.kind, actor.id, actor.name, ip, action, target, result, String(count)];
  return `${cells.map((cell) => csvCell(cell ?? '')).join(',')}\n`;
}

/** Spreadsheets run a cell that begins with one of these characters as a formula. */
function csvCell(text: string): string {
  const clean = cleanText(text, 1_000);
  const safe = /^[=+\-@\t\r]/.test(clean) ? `'${clean}` : clean;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
