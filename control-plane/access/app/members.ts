// Members of organizations: their roles and workspaces, and their removal.
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Limits } from '../../platform/domain/limits.js';
import { normalizeEmail, type User } from '../../platform/domain/person.js';
import { type Role, roles, seesAllWorkspaces } from '../../platform/domain/role.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import { type Administrator, type Member, mayChangeRole } from '../domain/member.js';
import { memberJoined, memberLeft, memberRemoved, roleChanged } from '../domain/member-notices.js';
import { closeInvitesOf } from '../store/invites.js';
import {
  countMemberships,
  countOwners,
  deleteMember,
  findMember,
  findRole,
  listMembers,
  listMemberWorkspaces,
  type MemberPosition,
  type Person,
  setMemberWorkspaces,
  setRole,
} from '../store/members.js';
import { findUserByEmail, getUser, insertMember } from '../store/users.js';
import { listWorkspaces } from '../store/workspaces.js';
import { type NotifyDeps, notify } from './notices.js';

/** Who administers members: a person, whose role is read again in the transaction, or an operator. */
export type By = { readonly userId: string } | 'operator';

export interface MemberChange {
  readonly role?: Role | undefined;
  /** Of a developer. Default when a member becomes a developer: the first workspace. */
  readonly workspaceIds?: readonly string[] | undefined;
}

export interface MemberPage {
  /** Null: from the first on. */
  readonly after: MemberPosition | null;
  readonly limit: number;
}

export interface OneMember {
  readonly accountId: number;
  readonly userId: string;
}

/** Callbacks run in the transaction of the change. */
export type Members = ReturnType<typeof createMembers>;

export function createMembers({ store, notices }: { store: Store; notices: NotifyDeps }) {
  return {
    /** All of them, in the order in which they joined. */
    list: async (accountId: number): Promise<Member[]> =>
      withWorkspaces(
        store,
        accountId,
        await listMembers(store, accountId, { after: null, limit: Number.MAX_SAFE_INTEGER }),
      ),

    /** `limit` of them from the one after `after` on, and how many owners there are in all. */
    async page(accountId: number, page: MemberPage): Promise<{ members: Member[]; owners: number }> {
      const [people, owners] = await Promise.all([listMembers(store, accountId, page), countOwners(store, accountId)]);
      return { members: await withWorkspaces(store, accountId, people), owners };
    },

    /** Returns a member by e-mail address. Throws not_found. */
    async find(accountId: number, email: string): Promise<Member> {
      const address = normalizeEmail(email);
      const found = address === null ? null : await findUserByEmail(store, address);
      const member = found && (await readMember(store, { accountId, userId: found.user.userId }));
      if (member) return member;
      throw new ApiError('not_found', { message: `The organization has no member ${email}.` });
    },

    /**
     * Changes role or workspaces. Invitations by the member that the new role may not make are revoked.
     *
     * @throws ApiError not_found; insufficient_permission; last_owner; invalid_request for workspaces of an owner or
     *   admin, or of another organization
     */
    change: (of: OneMember, { role, workspaceIds }: MemberChange, by: By, changed?: InTransaction<Member>) =>
      store.transaction(async (tx) => {
        const { member, administrator, name } = await pick(tx, of, by);
        const next = role ?? member.role;
        if (!mayChangeRole(administrator, member.role, next)) throw new ApiError('insufficient_permission');
        if (next !== 'owner') await keepAnOwner(tx, member);
        if (role !== undefined) await setRole(tx, of, role);
        for (const invited of roles) {
          if (mayChangeRole(next, null, invited)) continue;
          const made = { accountId: of.accountId, invitedBy: of.userId, role: invited };
          await closeInvitesOf(tx, made, notices.clock.now());
        }
        const becomesDeveloper = !seesAllWorkspaces(next) && seesAllWorkspaces(member.role);
        if (seesAllWorkspaces(next)) {
          if (workspaceIds !== undefined) throw seesAll(member.email);
          await setMemberWorkspaces(tx, of, []);
        } else if (workspaceIds !== undefined || becomesDeveloper) {
          await assignWorkspaces(tx, of, workspaceIds);
        }
        if (next !== member.role) {
          const says = roleChanged(member.email, member.role, next, name);
          await notify(tx, notices, { accountId: of.accountId, kind: 'member_changed', says });
        }
        const now = await pickMember(tx, of);
        await changed?.(tx, now);
        return now;
      }),

    /**
     * Removes a member, who loses access at once, also in requests that are open, and revokes the invitations by the
     * member. Everybody can remove themselves. Keys that the member has created stay.
     *
     * @throws ApiError not_found; insufficient_permission; last_owner
     */
    remove: (of: OneMember, by: By, removed?: InTransaction<Member>): Promise<Member> =>
      store.transaction(async (tx) => {
        const { member, administrator, name } = await pick(tx, of, by);
        const leaves = by !== 'operator' && by.userId === of.userId;
        if (!leaves && !mayChangeRole(administrator, member.role, null)) {
          throw new ApiError('insufficient_permission');
        }
        await keepAnOwner(tx, member);
        await deleteMember(tx, of);
        await closeInvitesOf(tx, { accountId: of.accountId, invitedBy: of.userId }, notices.clock.now());
        const says = leaves ? memberLeft(member.email) : memberRemoved(member.email, name);
        await notify(tx, notices, { accountId: of.accountId, kind: 'member_removed', says });
        await removed?.(tx, member);
        return member;
      }),
  };
}

/**
 * Inserts a member, in the transaction of the caller. Developers see `workspaceIds`.
 *
 * @throws ApiError invalid_request for a person who is in too many organizations
 */
export async function addMember(
  tx: Transaction,
  deps: NotifyDeps & { readonly limits: Pick<Limits, 'organizations_per_person'> },
  { accountId, user, role }: { accountId: number; user: User; role: Role },
  workspaceIds: readonly string[],
): Promise<void> {
  const { organizations_per_person: most } = deps.limits;
  if ((await countMemberships(tx, user.userId)) >= most) {
    throw new ApiError('invalid_request', {
      message: `${user.email} is a member of ${most} organizations, which is the limit; leave one first.`,
    });
  }
  await insertMember(tx, { accountId, userId: user.userId, role, joinedAt: deps.clock.now() });
  if (!seesAllWorkspaces(role)) {
    const present = await liveWorkspaces(tx, accountId);
    const still = workspaceIds.filter((id) => present.includes(id));
    await setMemberWorkspaces(tx, { accountId, userId: user.userId }, still);
  }
  await notify(tx, deps, { accountId, kind: 'member_joined', says: memberJoined(user.email, role) });
}

/** Returns whether the person with this address is a member. */
export async function isMember(db: Queries, accountId: number, email: string): Promise<boolean> {
  const found = await findUserByEmail(db, email);
  return found !== null && (await findRole(db, accountId, found.user.userId)) !== null;
}

/** Returns the role of the acting person. Throws not_found for somebody who is no longer a member. */
export async function administratorOf(db: Queries, accountId: number, by: By): Promise<Administrator> {
  if (by === 'operator') return by;
  const role = await findRole(db, accountId, by.userId);
  if (role === null) throw new ApiError('not_found');
  return role;
}

/** @param given default: the account's first workspace. Throws invalid_request for another account's workspace. */
export async function assignWorkspaces(
  tx: Transaction,
  of: OneMember,
  given: readonly string[] | undefined,
): Promise<void> {
  await setMemberWorkspaces(tx, of, await checkedWorkspaces(tx, of.accountId, given));
}

/** Returns `given`, or the account's first workspace. Throws invalid_request for another account's workspace. */
export async function checkedWorkspaces(
  db: Queries,
  accountId: number,
  given: readonly string[] | undefined,
): Promise<readonly string[]> {
  const present = await liveWorkspaces(db, accountId);
  const unknown = given?.find((workspaceId) => !present.includes(workspaceId));
  if (unknown === undefined) return given ? [...new Set(given)] : present.slice(0, 1);
  throw fieldError('invalid_request', 'workspace_ids', fieldProblem('unknown_workspace', { value: unknown }));
}

/** The error for workspaces that are given for an owner or admin. */
export function seesAll(email: string): ApiError {
  return fieldError('invalid_request', 'workspace_ids', fieldProblem('only_developers', { email }));
}

async function liveWorkspaces(db: Queries, accountId: number): Promise<string[]> {
  return (await listWorkspaces(db, accountId)).map(({ workspaceId }) => workspaceId);
}

async function withWorkspaces(db: Queries, accountId: number, people: readonly Person[]): Promise<Member[]> {
  const all = await liveWorkspaces(db, accountId);
  const developers = people.filter(({ role }) => !seesAllWorkspaces(role)).map(({ userId }) => userId);
  const seen = await listMemberWorkspaces(db, accountId, developers);
  return people.map((person) => {
    const own = seen.filter(({ userId }) => userId === person.userId).map((row) => row.workspaceId);
    return {
      ...person,
      workspaceIds: all.filter((id) => seesAllWorkspaces(person.role) || own.includes(id)),
    };
  });
}

async function readMember(db: Queries, { accountId, userId }: OneMember): Promise<Member | null> {
  const person = await findMember(db, accountId, userId);
  const [member = null] = person ? await withWorkspaces(db, accountId, [person]) : [];
  return member;
}

async function pickMember(db: Queries, of: OneMember): Promise<Member> {
  const member = await readMember(db, of);
  if (!member) throw new ApiError('not_found');
  return member;
}

/** Returns the member and the person who changes it, both as they are now. `name`: null for an operator. */
async function pick(tx: Transaction, of: OneMember, by: By) {
  const administrator = await administratorOf(tx, of.accountId, by);
  const member = await pickMember(tx, of);
  const name = by === 'operator' ? null : ((await getUser(tx, by.userId))?.email ?? '');
  return { member, administrator, name };
}

/** Throws last_owner if the member is the only owner. */
async function keepAnOwner(tx: Transaction, { accountId, role }: Member): Promise<void> {
  if (role === 'owner' && (await countOwners(tx, accountId)) <= 1) throw new ApiError('last_owner');
}
