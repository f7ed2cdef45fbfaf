// Console sessions: started with a password, stored on the server, ended by sign-out, expiry or a new password.

import type { Language } from '../../../shared/language.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Ticket } from '../../platform/app/tickets.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { normalizeEmail, type SignedIn, type User } from '../../platform/domain/person.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { createToken, hashToken, idleMs, isLive, isTokenForm, type SessionLife } from '../domain/session.js';
import { wrongPassword } from '../domain/wrong-password.js';
import {
  deleteSession,
  deleteSessionsOf,
  findSession,
  insertSession,
  sessionAddresses,
  touchSession,
  trimSessions,
} from '../store/sessions.js';
import { findUserByEmail, setPasswordHash, updateUser } from '../store/users.js';
import { createMemberships, type Memberships } from './memberships.js';
import type { Passwords } from './passwords.js';

/** The client of a sign-in. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | null;
  /** Kept for a person whose language is not known yet. */
  readonly language: Language | null;
}

export interface Begun {
  /** For the cookie; only its hash is stored. */
  readonly token: string;
  readonly person: SignedIn;
}

/** The password is right, and the person has a second factor. */
export interface HalfSignedIn {
  readonly secondStep: Ticket;
}

export interface Sessions extends Memberships {
  /** Throws invalid_credentials for an unknown address and for a wrong password. */
  signIn(
    credentials: { email: string; password: string },
    origin: Origin,
    begun: InTransaction<SignedIn>,
  ): Promise<Begun | HalfSignedIn>;
  /** Returns the id of the person with this address, or null. */
  personWith(email: string): Promise<string | null>;
  /**
   * Starts a session for an authenticated person, in `tx`.
   *
   * @param ageMs how long ago the person has proved who they are
   */
  begin(tx: Transaction, user: User, origin: Origin, ageMs?: number): Promise<Begun>;
  /** Returns the person of a live session. Records its use, unless `use` is none. */
  find(token: string, use?: 'none'): Promise<SignedIn | null>;
  end(token: string, ended?: InTransaction): Promise<void>;
  /**
   * Ends all sessions of the person and starts a new one. Throws invalid_credentials when `current` is wrong,
   * invalid_request for a new password that is too short or too long.
   */
  changePassword(
    person: SignedIn,
    passwords: { current: string; next: string },
    origin: Origin,
    changed: InTransaction,
  ): Promise<Begun>;
  /**
   * Whether the person with this address has a session that was started from an IP address for which `same` is true.
   */
  knownAddress(email: string, same: (ip: string) => boolean): Promise<boolean>;
  /** Waits for pending writes. */
  close(): Promise<void>;
}

const LONGEST_AGENT = 300;

export function createSessions(
  deps: Pick<Core, 'store' | 'clock' | 'limits' | 'log'> & {
    passwords: Passwords;
    /** Returns a ticket when a code is needed, too. */
    secondStep(db: Queries, user: User, passwordHash: string): Promise<Ticket | null>;
  },
): Sessions {
  const { store, clock, limits, passwords, log } = deps;
  const writing = new Set<Promise<void>>();

  const begin = async (tx: Transaction, user: User, origin: Origin, ageMs = 0): Promise<Begun> => {
    const token = createToken();
    const tokenHash = hashToken(token);
    const now = clock.now();
    const expiresAt = now + limits.session_absolute_ms;
    const times = { createdAt: now, seenAt: now, expiresAt, confirmedAt: now - ageMs };
    await insertSession(tx, { tokenHash, userId: user.userId, ...clientOf(origin), ...times });
    await trimSessions(tx, user.userId, limits.sessions_per_person);
    const language = await keepLanguage(tx, user, origin);
    return { token, person: { ...user, language, tokenHash, expiresAt, confirmedAt: now - ageMs } };
  };

  /** Records the last use often enough for the idle timeout, but not on every request. */
  const touch = ({ tokenHash, seenAt, operator }: SignedIn & SessionLife) => {
    const now = clock.now();
    if (now - seenAt < Math.min(60_000, idleMs({ operator }, limits) / 10)) return;
    const write = store
      .transaction((tx) => touchSession(tx, tokenHash, now))
      .catch((error: unknown) => log.error({ err: error }, 'failed to record the last use of a session'))
      .finally(() => writing.delete(write));
    writing.add(write);
  };

  return {
    ...createMemberships(store),

    begin,

    async signIn({ email, password }, origin, signedIn) {
      const address = normalizeEmail(email);
      const found = address === null ? null : await findUserByEmail(store, address);
      const stored = found?.passwordHash ?? null;
      if (!(await passwords.matches(stored, password)) || !found || stored === null) {
        throw new ApiError('invalid_credentials');
      }
      const renewed = passwords.isOutdated(stored) ? await passwords.renew(password) : null;
      return store.transaction(async (tx) => {
        // The password may have been changed during the check.
        const now = await findUserByEmail(tx, found.user.email);
        if (now?.passwordHash !== stored) throw new ApiError('invalid_credentials');
        if (renewed !== null) await setPasswordHash(tx, found.user.userId, renewed, stored);
        const secondStep = await deps.secondStep(tx, found.user, renewed ?? stored);
        if (secondStep) return { secondStep };
        const begun = await begin(tx, found.user, origin);
        await signedIn(tx, begun.person);
        return begun;
      });
    },

    async find(token, use) {
      if (!isTokenForm(token)) return null;
      const session = await findSession(store, hashToken(token));
      if (!session || !isLive(session, clock.now(), limits)) return null;
      if (use !== 'none') touch(session);
      return session;
    },

    async personWith(email) {
      const address = normalizeEmail(email);
      return address === null ? null : ((await findUserByEmail(store, address))?.user.userId ?? null);
    },

    end: (token, ended) =>
      store.transaction(async (tx) => {
        await deleteSession(tx, hashToken(token));
        await ended?.(tx);
      }),

    async changePassword(person, { current, next }, origin, changed) {
      const stored = (await findUserByEmail(store, person.email))?.passwordHash ?? null;
      if (!(await passwords.matches(stored, current))) throw wrongPassword('current');
      const passwordHash = await passwords.hash(next, 'new');
      return store.transaction(async (tx) => {
        if (!(await setPasswordHash(tx, person.userId, passwordHash, stored))) {
          throw wrongPassword('current');
        }
        await deleteSessionsOf(tx, person.userId);
        await changed(tx);
        return begin(tx, person, origin);
      });
    },

    async knownAddress(email, same) {
      return (await sessionAddresses(store, email)).some(same);
    },

    async close() {
      await Promise.all(writing);
    },
  };
}

const clientOf = ({ ip, userAgent }: Origin) => ({
  ip,
  userAgent: userAgent?.slice(0, LONGEST_AGENT) ?? null,
});

/** Stores the language of a person for whom none is known; returns the language that is known then. */
async function keepLanguage(tx: Transaction, user: User, origin: Origin): Promise<Language | null> {
  if (user.language !== null || origin.language === null) return user.language;
  await updateUser(tx, user.userId, { language: origin.language });
  return origin.language;
}
