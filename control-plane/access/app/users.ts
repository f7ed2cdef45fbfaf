// People: creation with a password. Their roles in organizations: members.ts.

import type { Clock } from '../../../shared/clock.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Message } from '../../../shared/messages/message.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import { type MailRecipient, normalizeEmail, type User } from '../../platform/domain/person.js';
import { type Role, seesAllWorkspaces } from '../../platform/domain/role.js';
import { ConstraintError, type Queries, type Store } from '../../platform/store/sql.js';
import { deleteSessionsOf } from '../store/sessions.js';
import {
  findUserByEmail,
  insertMember,
  insertUser,
  listOperators,
  listUsers,
  setPasswordHash,
  type UserPage,
} from '../store/users.js';
import { assignWorkspaces, seesAll } from './members.js';
import type { Passwords } from './passwords.js';

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly name?: string | undefined;
  readonly operator?: boolean | undefined;
  readonly membership?:
    | {
        readonly accountId: number;
        readonly role: Role;
        /** Of a developer. Default: the account's first workspace. */
        readonly workspaceIds?: readonly string[] | undefined;
      }
    | undefined;
}

/** Callbacks such as `created` run in the transaction of the change. */
export type Users = ReturnType<typeof createUsers>;

export function createUsers(deps: { store: Store; clock: Clock; passwords: Passwords }) {
  const { store, clock, passwords } = deps;
  return {
    /**
     * Throws invalid_request for an e-mail address that is invalid or taken, and for a password that is too short or
     * too long.
     */
    async create(
      { email: given, password, name, operator = false, membership }: NewUser,
      created?: InTransaction<{ readonly userId: string }>,
    ) {
      const email = checkedEmail(given);
      const passwordHash = await passwords.hash(password);
      const userId = newId('user');
      const now = clock.now();
      try {
        await store.transaction(async (tx) => {
          await insertUser(tx, { userId, email, name: name ?? null, passwordHash, operator, createdAt: now });
          if (membership) {
            const { accountId, role, workspaceIds } = membership;
            await insertMember(tx, { accountId, userId, role, joinedAt: now });
            const member = { accountId, userId };
            if (!seesAllWorkspaces(role)) await assignWorkspaces(tx, member, workspaceIds);
            else if (workspaceIds) throw seesAll(email);
          }
          await created?.(tx, { userId });
        });
      } catch (error) {
        if (error instanceof ConstraintError) throw invalidEmail(fieldProblem('taken', { value: email }));
        throw error;
      }
      return { userId, email };
    },

    /** `limit` of them from the one after `after` on, oldest first. */
    page: (page: UserPage): Promise<User[]> => listUsers(store, page),

    /** Ends the person's sessions and returns their number. Throws not_found. */
    async endSessions(given: string, ended?: InTransaction<User>): Promise<{ user: User; count: number }> {
      return store.transaction(async (tx) => {
        const email = normalizeEmail(given);
        const found = email === null ? null : await findUserByEmail(tx, email);
        if (!found) throw new ApiError('not_found', { message: `No such user: ${given}.` });
        const count = await deleteSessionsOf(tx, found.user.userId);
        await ended?.(tx, found.user);
        return { user: found.user, count };
      });
    },

    /** Ends the person's sessions. Throws not_found, and invalid_request for a password that is too short or too long. */
    async setPassword(given: string, password: string, done?: InTransaction<User>): Promise<User> {
      const email = normalizeEmail(given);
      const found = email === null ? null : await findUserByEmail(store, email);
      if (!found) throw new ApiError('not_found', { message: `No such user: ${given}.` });
      const passwordHash = await passwords.hash(password);
      return store.transaction(async (tx) => {
        await setPasswordHash(tx, found.user.userId, passwordHash, null);
        await deleteSessionsOf(tx, found.user.userId);
        await done?.(tx, found.user);
        return found.user;
      });
    },
  };
}

/** Throws invalid_request. */
export function checkedEmail(text: string): string {
  const email = normalizeEmail(text);
  if (email === null) throw invalidEmail(fieldProblem('invalid_email'));
  return email;
}

const invalidEmail = (problem: Message) => fieldError('invalid_request', 'email', problem);

export const operatorRecipients = async (q: Queries): Promise<MailRecipient[]> =>
  (await listOperators(q)).map(({ email, language }) => ({ email, language: language ?? 'en' }));
