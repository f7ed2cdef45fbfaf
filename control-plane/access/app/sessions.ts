// Console sessions: begun with a password, kept on the server, ended by their owner, by time or by a new password.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { type Membership, normalizeEmail, type SignedIn, type User } from '../../platform/domain/person.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import { createToken, hashToken, isLive, isTokenForm } from '../domain/session.js';
import { findMembership, listMemberships } from '../store/members.js';
import {
  deleteSession,
  deleteSessionsOf,
  findSession,
  insertSession,
  sessionAddresses,
  touchSession,
  trimSessions,
} from '../store/sessions.js';
import { findUserByEmail, setPasswordHash } from '../store/users.js';
import { findWorkspace, listWorkspaces, type Workspace } from '../store/workspaces.js';
import type { Passwords } from './passwords.js';

/** Where a sign-in comes from. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | null;
}

export interface Begun {
  /** For the cookie; it is kept nowhere. */
  readonly token: string;
  readonly person: SignedIn;
}

export interface PersonOrganization extends Membership {
  readonly workspaces: readonly Workspace[];
}

export interface Sessions {
  /** Throws invalid_credentials, whether the address is unknown or the password wrong. */
  signIn(credentials: { email: string; password: string }, origin: Origin): Promise<Begun>;
  /** A session for somebody who has proved who they are, as part of `tx`. */
  begin(tx: Transaction, user: User, origin: Origin): Promise<Begun>;
  /** The person of a live session; notes that it is in use. */
  find(token: string): Promise<SignedIn | null>;
  end(token: string): Promise<void>;
  /**
   * Every session of the person ends, and a new one begins. Throws invalid_credentials when `current` is wrong,
   * invalid_request for a new password of unfit length.
   */
  changePassword(
    person: SignedIn,
    passwords: { current: string; next: string },
    origin: Origin,
  ): Promise<Begun>;
  /** Those that the person may enter, by name; closed ones are left out. */
  organizations(userId: string): Promise<PersonOrganization[]>;
  /** Null: no such organization, or the person is not in it. */
  membership(userId: string, orgId: string): Promise<Membership | null>;
  /** The workspace and the person's place in its organization; null when either is none of the person's. */
  workspaceMembership(userId: string, workspaceId: string): Promise<Membership | null>;
  /** The workspace that was made with the account. */
  defaultWorkspace(accountId: number): Promise<string>;
  /** Whether the person with this address has a session that began at an address for which `same` is true. */
  knownAddress(email: string, same: (ip: string) => boolean): Promise<boolean>;
  /** Waits for what is still being written. */
  close(): Promise<void>;
}

const LONGEST_AGENT = 300;

export function createSessions(deps: {
  store: Store;
  clock: Clock;
  limits: Limits;
  passwords: Passwords;
  log: Log;
}): Sessions {
  const { store, clock, limits, passwords, log } = deps;
  const writing = new Set<Promise<void>>();

  const begin = async (tx: Transaction, user: User, { ip, userAgent }: Origin): Promise<Begun> => {
    const token = createToken();
    const tokenHash = hashToken(token);
    const now = clock.now();
    const expiresAt = now + limits.session_absolute_ms;
    const agent = userAgent?.slice(0, LONGEST_AGENT) ?? null;
    const times = { createdAt: now, seenAt: now, expiresAt };
    await insertSession(tx, { tokenHash, userId: user.userId, ip, userAgent: agent, ...times });
    await trimSessions(tx, user.userId, limits.sessions_per_person);
    return { token, person: { ...user, tokenHash, expiresAt } };
  };

  /** Looked at in time for the idle end, but not with every request. */
  const touch = (tokenHash: string, seenAt: number) => {
    const now = clock.now();
    if (now - seenAt < Math.min(60_000, limits.session_idle_ms / 10)) return;
    const write = store
      .transaction((tx) => touchSession(tx, tokenHash, now))
      .catch((error: unknown) => log.error({ err: error }, 'last use of a session not written'))
      .finally(() => writing.delete(write));
    writing.add(write);
  };

  return {
    begin,

    async signIn({ email, password }, origin) {
      const address = normalizeEmail(email);
      const found = address === null ? null : await findUserByEmail(store, address);
      const stored = found?.passwordHash ?? null;
      if (!(await passwords.matches(stored, password)) || !found || stored === null) {
        throw new ApiError('invalid_credentials');
      }
      const renewed = passwords.isOutdated(stored) ? await passwords.hash(password) : null;
      return store.transaction(async (tx) => {
        // The password may have been changed while this one was being checked.
        const now = await findUserByEmail(tx, found.user.email);
        if (now?.passwordHash !== stored) throw new ApiError('invalid_credentials');
        if (renewed !== null) await setPasswordHash(tx, found.user.userId, renewed, stored);
        return begin(tx, found.user, origin);
      });
    },

    async find(token) {
      if (!isTokenForm(token)) return null;
      const session = await findSession(store, hashToken(token));
      if (!session || !isLive(session, clock.now(), limits)) return null;
      touch(session.tokenHash, session.seenAt);
      return session;
    },

    end: (token) => store.transaction((tx) => deleteSession(tx, hashToken(token))),

    async changePassword(person, { current, next }, origin) {
      const stored = (await findUserByEmail(store, person.email))?.passwordHash ?? null;
      if (!(await passwords.matches(stored, current))) throw new ApiError('invalid_credentials');
      const passwordHash = await passwords.hash(next, 'new');
      return store.transaction(async (tx) => {
        if (!(await setPasswordHash(tx, person.userId, passwordHash, stored))) {
          throw new ApiError('invalid_credentials');
        }
        await deleteSessionsOf(tx, person.userId);
        return begin(tx, person, origin);
      });
    },

    async organizations(userId) {
      const memberships = (await listMemberships(store, userId)).filter(
        ({ account }) => account.status !== 'closed',
      );
      return Promise.all(
        memberships.map(async (membership) => ({
          ...membership,
          workspaces: await listWorkspaces(store, membership.account.id),
        })),
      );
    },

    membership: (userId, orgId) => findMembership(store, userId, orgId),

    workspaceMembership: (userId, workspaceId) => workspaceMembership(store, userId, workspaceId),

    async defaultWorkspace(accountId) {
      const [first] = await listWorkspaces(store, accountId);
      if (!first) throw new Error(`the account ${accountId} has no workspace`);
      return first.workspaceId;
    },

    async knownAddress(email, same) {
      return (await sessionAddresses(store, email)).some(same);
    },

    async close() {
      await Promise.all(writing);
    },
  };
}

/** Returns the person's place in the organization of the workspace; null when the person has none. */
export async function workspaceMembership(
  q: Queries,
  userId: string,
  workspaceId: string,
): Promise<Membership | null> {
  const workspace = await findWorkspace(q, workspaceId);
  return workspace && findMembership(q, userId, workspace.orgId);
}
