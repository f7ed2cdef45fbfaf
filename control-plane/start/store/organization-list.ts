// Organizations with what they have, for operators.
import type { Queries } from '../../platform/store/sql.js';

export interface ListedOrganization {
  readonly id: number;
  readonly orgId: string;
  readonly slug: string;
  readonly name: string;
  readonly status: 'active' | 'suspended' | 'closed';
  readonly paymentsBlocked: boolean;
  readonly createdAt: number;
  readonly members: number;
  /** That have not ended. */
  readonly macs: number;
  readonly storedBytes: number;
}

interface Row {
  id: number;
  org_id: string;
  slug: string;
  name: string;
  status: ListedOrganization['status'];
  payments_blocked: number;
  created_at: number;
  members: number;
  macs: number;
  stored_bytes: number;
}

/** Returns the newest first. `text` is part of a name or slug, or an id. */
export async function listOrganizations(
  q: Queries,
  page: {
    readonly status: string | null;
    readonly text: string | null;
    readonly beforeId: number | null;
    readonly limit: number;
  },
): Promise<ListedOrganization[]> {
  const rows = await q.all<Row>(
    `SELECT o.id, o.org_id, o.slug, o.name, o.status, o.payments_blocked, o.created_at,
       (SELECT COUNT(*) FROM members m WHERE m.account_id = o.id) AS members,
       (SELECT COUNT(*) FROM macs m WHERE m.account_id = o.id AND m.state <> 'ended') AS macs,
       COALESCE(u.contents_bytes + u.artifacts_bytes + u.logs_bytes, 0) AS stored_bytes
     FROM organizations o LEFT JOIN account_usage u ON u.account_id = o.id
     WHERE (:beforeId IS NULL OR o.id < :beforeId) AND (:status IS NULL OR o.status = :status)
       AND (:text IS NULL OR o.org_id = :text OR instr(lower(o.name), lower(:text)) > 0 OR instr(o.slug, lower(:text)) > 0)
     ORDER BY o.id DESC LIMIT :limit`,
    page,
  );
  return rows.map((row) => ({
    id: row.id,
    orgId: row.org_id,
    slug: row.slug,
    name: row.name,
    status: row.status,
    paymentsBlocked: row.payments_blocked === 1,
    createdAt: row.created_at,
    members: row.members,
    macs: row.macs,
    storedBytes: row.stored_bytes,
  }));
}

/** Returns the number of members, and of Macs that have not ended. */
export async function countMembersAndMacs(q: Queries, accountId: number): Promise<{ members: number; macs: number }> {
  const row = await q.get<{ members: number; macs: number }>(
    `SELECT (SELECT COUNT(*) FROM members WHERE account_id = :accountId) AS members,
       (SELECT COUNT(*) FROM macs WHERE account_id = :accountId AND state <> 'ended') AS macs`,
    { accountId },
  );
  return row ?? { members: 0, macs: 0 };
}
