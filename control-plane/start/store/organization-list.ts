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
    ...{ id: row.id, orgId: row.org_id, slug: row.slug, name: row.name, status: row.status },
    ...{ paymentsBlocked: row.payments_blocked === 1, createdAt: row.created_at },
    ...{ members: row.members, macs: row.macs, storedBytes: row.stored_bytes },
  }));
}

export interface ListedMember {
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: string;
  readonly joinedAt: number;
}

/** Returns the members of an account, owners first. */
export async function listMembersOf(q: Queries, accountId: number, limit: number): Promise<ListedMember[]> {
  const rows = await q.all<{
    user_id: string;
    email: string;
    name: string | null;
    role: string;
    joined_at: number;
  }>(
    `SELECT u.user_id, u.email, u.name, m.role, m.joined_at FROM members m JOIN users u ON u.user_id = m.user_id
     WHERE m.account_id = :accountId
     ORDER BY CASE m.role WHEN 'owner' THEN 0 WHEN 'admin' THEN 1 ELSE 2 END, u.email LIMIT :limit`,
    { accountId, limit },
  );
  return rows.map((row) => ({
    ...{ userId: row.user_id, email: row.email, name: row.name, role: row.role, joinedAt: row.joined_at },
  }));
}
