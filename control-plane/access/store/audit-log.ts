// The audit log. The database refuses to change or delete an entry.
import { type AuditEntry, auditEntryFields } from '../../platform/domain/audit-entry.js';
import { text } from '../../platform/domain/fields.js';
import type { Queries } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const auditEntries = table('audit_log', auditEntryFields);

export const insertAuditEntry = auditEntries.insert;

const withNames = auditEntries.and({
  /** Of a Mac of the organization, as it is called now. */
  targetName: [
    '(SELECT m.name FROM macs m WHERE m.rental_id = target AND m.account_id = audit_log.account_id)',
    text().orNull,
  ],
  orgId: ['o.org_id', text().orNull],
  orgSlug: ['o.slug', text().orNull],
});

export type NamedEntry = Selected<typeof withNames>;

/** Position of an entry in the log. */
export type AuditPosition = Pick<AuditEntry, 'at' | 'id'>;

export interface AuditPage {
  readonly after: AuditPosition | null;
  readonly limit: number;
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
): Promise<NamedEntry[]> {
  const account = accountId === null ? '' : 'AND account_id = :accountId';
  const from = after ? '(at, audit_log.id) > (:at, :id)' : 'at >= :since';
  return withNames.all(
    db,
    `LEFT JOIN organizations o ON o.id = audit_log.account_id
     WHERE ${from} ${account} AND audit_log.id <= :upTo ORDER BY at, audit_log.id LIMIT :limit`,
    {
      limit,
      upTo,
      ...(accountId === null ? {} : { accountId }),
      ...(after ?? { since }),
    },
  );
}

/** Absent: any. */
export interface AuditSearch {
  readonly accountId?: number | undefined;
  /** Id, name or kind. */
  readonly actor?: string | undefined;
  /** The whole action, or its resource: `order` finds `order.refund`. */
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly failed?: boolean | undefined;
  /** ms, inclusive */
  readonly since?: number | undefined;
  /** ms, exclusive */
  readonly until?: number | undefined;
  /** Members see that an operator did something, not which one: `actor` does not find the name or id of operators. */
  readonly hideOperators?: boolean;
}

type Filter = Exclude<keyof AuditSearch, 'hideOperators'>;

const conditions: Readonly<Record<Filter, string>> = {
  accountId: 'account_id = :accountId',
  actor: '(actor_id = :actor OR actor_name = :actor OR actor_kind = :actor)',
  action: `(action = :action OR (action >= :action || '.' AND action < :action || '/'))`,
  target: 'target = :target',
  failed: `CASE WHEN result <> 'ok' THEN 1 ELSE 0 END = :failed`,
  since: 'at >= :since',
  until: 'at < :until',
};

const ACTOR_OF_MEMBERS = `(actor_kind = :actor
  OR (actor_kind <> 'operator' AND (actor_id = :actor OR actor_name = :actor)))`;

/** Newest first, with the organization's public id. */
export function searchAuditEntries(
  db: Queries,
  { hideOperators = false, ...search }: AuditSearch,
  { after, limit }: AuditPage,
): Promise<NamedEntry[]> {
  const given = Object.entries(search).filter(([, value]) => value !== undefined);
  const where = given.map(([name]) =>
    hideOperators && name === 'actor' ? ACTOR_OF_MEMBERS : conditions[name as Filter],
  );
  if (after) where.push('(at, audit_log.id) < (:afterAt, :afterId)');
  const params = Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value]),
  );
  return withNames.all(
    db,
    `LEFT JOIN organizations o ON o.id = audit_log.account_id
     ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`} ORDER BY at DESC, audit_log.id DESC LIMIT :limit`,
    { ...params, limit, ...(after ? { afterAt: after.at, afterId: after.id } : {}) },
  );
}
