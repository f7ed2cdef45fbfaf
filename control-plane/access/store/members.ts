import type { Account } from '../../platform/domain/caller.js';
import { int, text } from '../../platform/domain/fields.js';
import type { MailRecipient, Membership } from '../../platform/domain/person.js';
import { type Role, seesAllWorkspaces } from '../../platform/domain/role.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import type { Member } from '../domain/member.js';
import { organizations } from './organizations.js';

export const members = table('members', {
  accountId: int(),
  userId: text(),
  role: text<Role>(),
  joinedAt: int(),
});

/** Workspaces of members who do not see all of them. */
export const memberWorkspaces = table('member_workspaces', {
  accountId: int(),
  userId: text(),
  workspaceId: text(),
});

const joined = organizations.and({ role: ['m.role', members.fields.role] });
const OF_USER = 'JOIN members m ON m.account_id = organizations.id WHERE m.user_id = :userId';

async function toMembership(
  db: Queries,
  userId: string,
  { role, ...account }: Account & { role: Role },
): Promise<Membership> {
  if (seesAllWorkspaces(role)) return { account, role, workspaceIds: null };
  const rows = await memberWorkspaces.all(db, 'WHERE account_id = :accountId AND user_id = :userId', {
    accountId: account.id,
    userId,
  });
  return { account, role, workspaceIds: rows.map(({ workspaceId }) => workspaceId) };
}

export async function findMembership(db: Queries, userId: string, orgId: string): Promise<Membership | null> {
  const found = await joined.get(db, `${OF_USER} AND organizations.org_id = :orgId`, { userId, orgId });
  return found && toMembership(db, userId, found);
}

/** Returns the person's membership in the account, or null if the person is not a member. */
export async function findAccountMembership(
  db: Queries,
  userId: string,
  accountId: number,
): Promise<Membership | null> {
  const found = await joined.get(db, `${OF_USER} AND organizations.id = :accountId`, { userId, accountId });
  return found && toMembership(db, userId, found);
}

/**
 * Returns the membership in the organization of the workspace, or null if the person cannot see the workspace. One
 * query, so that a hidden workspace takes as long as one that does not exist.
 */
export async function findWorkspaceMembership(
  db: Queries,
  userId: string,
  workspaceId: string,
): Promise<Membership | null> {
  const found = await joined.get(
    db,
    `JOIN workspaces w ON w.account_id = organizations.id ${OF_USER} AND w.workspace_id = :workspaceId
       AND (m.role <> 'developer' OR EXISTS (SELECT 1 FROM member_workspaces s
         WHERE s.account_id = m.account_id AND s.user_id = m.user_id AND s.workspace_id = w.workspace_id))`,
    { userId, workspaceId },
  );
  return found && toMembership(db, userId, found);
}

/** By name. */
export async function listMemberships(db: Queries, userId: string): Promise<Membership[]> {
  const found = await joined.all(db, `${OF_USER} ORDER BY organizations.name, organizations.id`, { userId });
  return Promise.all(found.map((one) => toMembership(db, userId, one)));
}

/** Returns null if the person is not a member. */
export async function findRole(db: Queries, accountId: number, userId: string): Promise<Role | null> {
  const where = 'WHERE account_id = :accountId AND user_id = :userId';
  return (await members.get(db, where, { accountId, userId }))?.role ?? null;
}

const people = members.and({ email: ['u.email', text()], name: ['u.name', text().orNull] });

const PEOPLE = 'JOIN users u ON u.user_id = members.user_id WHERE members.account_id = :accountId';

/** A member without the workspaces. */
export type Person = Omit<Member, 'workspaceIds'>;

/** The last member of the previous page. */
export interface MemberPosition {
  /** When the member joined. */
  readonly at: number;
  readonly id: string;
}

/** In the order in which they joined, from the one after `after` on. */
export function listMembers(
  db: Queries,
  accountId: number,
  { after, limit }: { readonly after: MemberPosition | null; readonly limit: number },
): Promise<Person[]> {
  const later = after === null ? '' : 'AND (members.joined_at, members.user_id) > (:at, :id)';
  return people.all(db, `${PEOPLE} ${later} ORDER BY members.joined_at, members.user_id LIMIT :limit`, {
    accountId,
    limit,
    ...(after === null ? {} : { at: after.at, id: after.id }),
  });
}

/** Returns null if the person is not a member. */
export function findMember(db: Queries, accountId: number, userId: string): Promise<Person | null> {
  return people.get(db, `${PEOPLE} AND members.user_id = :userId`, { accountId, userId });
}

/** Returns which of these members, who do not see all workspaces, see which. */
export async function listMemberWorkspaces(
  db: Queries,
  accountId: number,
  userIds: readonly string[],
): Promise<Selected<typeof memberWorkspaces>[]> {
  const found: Selected<typeof memberWorkspaces>[] = [];
  for (const { list, params } of inChunks(userIds)) {
    const where = `WHERE account_id = :accountId AND user_id IN (${list}) ORDER BY workspace_id`;
    found.push(...(await memberWorkspaces.all(db, where, { accountId, ...params })));
  }
  return found;
}

/** Returns the number of members who see each workspace, without those who see all of them. */
export async function countDevelopers(db: Queries, accountId: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ workspace_id: string; n: number }>(
    `SELECT workspace_id, COUNT(*) AS n FROM member_workspaces WHERE account_id = :accountId GROUP BY workspace_id`,
    { accountId },
  );
  return new Map(rows.map((row) => [row.workspace_id, row.n]));
}

/** Returns in how many organizations the person is. */
export const countMemberships = (db: Queries, userId: string): Promise<number> =>
  readCount(db, 'SELECT COUNT(*) AS n FROM members WHERE user_id = :userId', {
    userId,
  });

export const countOwners = (db: Queries, accountId: number): Promise<number> =>
  readCount(db, `SELECT COUNT(*) AS n FROM members WHERE account_id = :accountId AND role = 'owner'`, { accountId });

export async function setRole(
  tx: Transaction,
  { accountId, userId }: { accountId: number; userId: string },
  role: Role,
): Promise<void> {
  await members.update(tx, { accountId, userId }, { role });
}

/** Also deletes the workspaces of the member. */
export async function deleteMember(tx: Transaction, of: { accountId: number; userId: string }): Promise<void> {
  await setMemberWorkspaces(tx, of, []);
  const { accountId, userId } = of;
  await tx.run('DELETE FROM members WHERE account_id = :accountId AND user_id = :userId', {
    accountId,
    userId,
  });
}

/** Replaces the workspaces of a member. Throws ConstraintError for a workspace of another account. */
export async function setMemberWorkspaces(
  tx: Transaction,
  of: { accountId: number; userId: string },
  workspaceIds: readonly string[],
): Promise<void> {
  await tx.run('DELETE FROM member_workspaces WHERE account_id = :accountId AND user_id = :userId', {
    accountId: of.accountId,
    userId: of.userId,
  });
  for (const workspaceId of new Set(workspaceIds)) {
    await memberWorkspaces.insert(tx, { accountId: of.accountId, userId: of.userId, workspaceId });
  }
}

/** Removes the workspace from all memberships. Owners and admins see all workspaces anyway. */
export async function deleteMembersOfWorkspace(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.run('DELETE FROM member_workspaces WHERE workspace_id = :workspaceId', { workspaceId });
}

/** The people who run the account: its owners and admins. */
export function listAdmins(db: Queries, accountId: number): Promise<MailRecipient[]> {
  return db.all<MailRecipient>(
    `SELECT u.email, COALESCE(u.language, 'en') AS language FROM members m JOIN users u ON u.user_id = m.user_id
     WHERE m.account_id = :accountId AND m.role IN ('owner', 'admin') ORDER BY u.email`,
    { accountId },
  );
}
