// The audit log. The database refuses to change or delete an entry.
import { type AuditEntry, auditEntryFields } from '../../platform/domain/audit-entry.js';
import { text } from '../../platform/domain/fields.js';
import type { Queries } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';

export const auditEntries = table('audit_log', auditEntryFields);

export const insertAuditEntry = auditEntries.insert;

const withOrganization = auditEntries.and({ orgId: ['o.org_id', text().orNull] });

/** Place of an entry in the order of the log. */
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

/** Entries since `since`, oldest first, of one organization or of all, with the organization's public id. */
export function readAuditEntries(
  db: Queries,
  filter: { readonly accountId: number | null; readonly since: number },
  { after, limit }: AuditPage,
): Promise<(AuditEntry & { orgId: string | null })[]> {
  const account = filter.accountId === null ? '' : 'AND account_id = :accountId';
  const from = after ? '(at, audit_log.id) > (:at, :id)' : 'at >= :since';
  return withOrganization.all(
    db,
    `LEFT JOIN organizations o ON o.id = audit_log.account_id
     WHERE ${from} ${account} ORDER BY at, audit_log.id LIMIT :limit`,
    {
      limit,
      ...(filter.accountId === null ? {} : { accountId: filter.accountId }),
      ...(after ?? { since: filter.since }),
    },
  );
}
