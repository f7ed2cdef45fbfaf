// The audit log. The database refuses to change or delete an entry.
import { type AuditEntry, auditEntryFields } from '../../platform/domain/audit-entry.js';
import { text } from '../../platform/domain/fields.js';
import type { Queries } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';

export const auditEntries = table('audit_log', auditEntryFields);

export const insertAuditEntry = auditEntries.insert;

const withOrganization = auditEntries.and({ orgId: ['o.org_id', text().orNull] });

/** Position of an entry in the log. */
export type AuditPosition = Pick<AuditEntry, 'at' | 'id'>;

export interface AuditPage {
  readonly after: AuditPosition | null;
  readonly limit: number;
}

/** Entries of an organization, newest first. */
export function listAuditEntries(
  db: Queries,
  accountId: number,
  { after, limit }: AuditPage,
): Promise<AuditEntry[]> {
  const condition = after ? 'AND (at, id) < (:at, :id)' : '';
  const order = 'ORDER BY at DESC, id DESC LIMIT :limit';
  return auditEntries.all(db, `WHERE account_id = :accountId ${condition} ${order}`, {
    ...{ accountId, limit },
    ...after,
  });
}

export interface AuditFilter {
  readonly accountId: number | null;
  readonly since: number;
  /** Highest id, so that entries which are added between two pages cannot fall before a page that was read. */
  readonly upTo?: number;
}

/** Returns the id of the entry that was written last; 0 without entries. */
export async function newestAuditId(db: Queries): Promise<number> {
  return (await db.get<{ id: number | null }>('SELECT max(id) AS id FROM audit_log'))?.id ?? 0;
}

/** Entries since `since`, oldest first, of one organization or of all, with the organization's public id. */
export function readAuditEntries(
  db: Queries,
  { accountId, since, upTo = Number.MAX_SAFE_INTEGER }: AuditFilter,
  { after, limit }: AuditPage,
): Promise<(AuditEntry & { orgId: string | null })[]> {
  const account = accountId === null ? '' : 'AND account_id = :accountId';
  const from = after ? '(at, audit_log.id) > (:at, :id)' : 'at >= :since';
  return withOrganization.all(
    db,
    `LEFT JOIN organizations o ON o.id = audit_log.account_id
     WHERE ${from} ${account} AND audit_log.id <= :upTo ORDER BY at, audit_log.id LIMIT :limit`,
    {
      ...{ limit, upTo },
      ...(accountId === null ? {} : { accountId }),
      ...(after ?? { since }),
    },
  );
}
