// What the audit logs of members and of operators have in common: filters, pages, and the export as a file.

import { Readable } from 'node:stream';
import { z } from 'zod';
import { cleanText } from '../../../shared/clean-text.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Limits } from '../../platform/domain/limits.js';
import { pageOf, pageParams } from '../../platform/http/page.js';
import { timeParam } from '../../platform/http/query.js';
import type { RouteReply } from '../../platform/http/route.js';
import type { AuditPosition, AuditSearch } from '../app/audit-log.js';
import type { AuditEntryView } from './audit-view.js';

export const exportTypes = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' } as const;
type Format = keyof typeof exportTypes;

/** Query parameters; `searchOf` reads the filters. */
export const auditParams = (limits: Limits) => ({
  ...pageParams(limits),
  actor: z.string().optional().meta({ description: 'Id, name or kind' }),
  action: z.string().optional().meta({ description: 'An action, or its resource: `order`' }),
  target: z.string().optional(),
  failed: z.enum(['true', 'false']).optional(),
  since: timeParam().optional(),
  until: timeParam().optional(),
  format: z.enum(['csv', 'jsonl']).optional().meta({ description: 'All entries, without pages' }),
});

type Query = z.infer<z.ZodObject<ReturnType<typeof auditParams>>>;

export const searchOf = ({ actor, action, target, since, until, failed }: Query): AuditSearch => ({
  actor,
  action,
  target,
  since,
  until,
  failed: failed === undefined ? undefined : failed === 'true',
});

type View = AuditEntryView & { readonly org_id?: string | null; readonly org_slug?: string | null };

export interface AuditList {
  readonly limits: Limits;
  /** Returns entries after a position, with their views. */
  read(after: AuditPosition | null, limit: number): Promise<{ readonly entry: AuditPosition; readonly view: View }[]>;
  /** Whether an export has the organization of each entry. */
  readonly withOrganization: boolean;
}

/** Returns a page of entries, or with `format` all of them as a file. */
export async function answerAudit({ limit: given, cursor, format }: Query, list: AuditList): Promise<RouteReply> {
  if (format !== undefined) {
    return {
      status: 200,
      type: exportTypes[format],
      headers: { 'content-disposition': `attachment; filename="audit.${format}"` },
      body: Readable.from(lines(format, list)),
    };
  }
  const limit = given ?? list.limits.list_limit_default;
  const after = cursor === undefined ? null : { at: cursor.at, id: idOf(cursor.id) };
  const found = await list.read(after, limit + 1);
  const { page, next } = pageOf(found, limit, ({ entry }) => ({ at: entry.at, id: String(entry.id) }));
  return { status: 200, body: { data: page.map(({ view }) => view), next_cursor: next } };
}

/** Reads as the client does, so that a long log is never in memory as a whole. */
async function* lines(format: Format, { limits, read, withOrganization }: AuditList) {
  const columns = Object.keys(cells).filter((name) => withOrganization || name !== 'org_id');
  if (format === 'csv') yield `${columns.join(',')}\n`;
  for (let after: AuditPosition | null = null; ; ) {
    const found: Awaited<ReturnType<AuditList['read']>> = await read(after, limits.audit_page_max);
    if (found.length > 0) {
      yield found.map(({ view }) => (format === 'csv' ? csvOf(view, columns) : `${JSON.stringify(view)}\n`)).join('');
    }
    const last = found.at(-1)?.entry;
    if (last === undefined || found.length < limits.audit_page_max) return;
    after = { at: last.at, id: last.id };
  }
}

function idOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw fieldError('invalid_request', 'cursor', fieldProblem('not_a_cursor'));
}

/** Columns of a CSV file. */
const cells: Readonly<Record<string, (view: View) => string | null | undefined>> = {
  at: ({ at }) => at,
  org_id: ({ org_id }) => org_id,
  actor_kind: ({ actor }) => actor.kind,
  actor_id: ({ actor }) => actor.id,
  actor_name: ({ actor }) => actor.name,
  ip: ({ ip }) => ip,
  action: ({ action }) => action,
  target: ({ target }) => target,
  result: ({ result }) => result,
  count: ({ count }) => String(count),
  target_name: ({ target_name }) => target_name,
};

const csvOf = (view: View, columns: readonly string[]): string =>
  `${columns.map((name) => csvCell(cells[name]?.(view) ?? '')).join(',')}\n`;

/** Spreadsheets run a cell that begins with one of these characters as a formula. */
function csvCell(text: string): string {
  const clean = cleanText(text, 1_000);
  const safe = /^[=+\-@\t\r]/.test(clean) ? `'${clean}` : clean;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
