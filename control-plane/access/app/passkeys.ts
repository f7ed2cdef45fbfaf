// Passkeys: a person registers them, and signs in with one alone. The authenticator has verified the person
// (fingerprint, PIN), so no password or code is needed in addition.
import { countOf } from '../../../shared/count.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { createTickets } from '../../platform/app/tickets.js';
import type { Vault } from '../../platform/app/vault.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SignedIn, User } from '../../platform/domain/person.js';
import { ConstraintError, type Transaction } from '../../platform/store/sql.js';
import { passkeySiteOf } from '../domain/passkey-site.js';
import { hashToken } from '../domain/session.js';
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  type Passkey,
  renamePasskey,
  takeChallenge,
  usePasskey,
} from '../store/passkeys.js';
import { getUser } from '../store/users.js';
import { type AccountMailDeps, mailAccountChange } from './account-mails.js';
import {
  challengeOf,
  checkedCredential,
  checkedSignature,
  creationOptions,
  type NewCredential,
  type RelyingParty,
  requestOptions,
  type SignedChallenge,
} from './passkey-answers.js';
import type { Begun, Origin, Sessions } from './sessions.js';

export type { NewCredential, Passkey, SignedChallenge };

export interface PasskeyDeps extends Pick<Core, 'store'>, AccountMailDeps {
  readonly clock: Core['clock'];
  readonly vault: Pick<Vault, 'sealBytes' | 'openBytes'>;
  readonly sessions: Pick<Sessions, 'begin'>;
  readonly limits: Pick<Limits, 'passkey_challenge_ms' | 'passkeys_per_person'>;
}

/** Callbacks run in the transaction of the change. */
export type Passkeys = ReturnType<typeof createPasskeys>;

export function createPasskeys(deps: PasskeyDeps) {
  const { store, clock, sessions, limits } = deps;
  const site = passkeySiteOf(deps.siteUrl);
  const timeout = limits.passkey_challenge_ms;
  // A challenge is a ticket, so nothing is stored before it is answered.
  const registering = createTickets(deps, { purpose: 'passkey-register', validMs: timeout });
  const signing = createTickets(deps, { purpose: 'passkey-sign', validMs: timeout });

  const party = (): RelyingParty => {
    if ('refused' in site) throw new ApiError('passkeys_unavailable');
    return site;
  };

  /** Marks the challenge as answered. Throws invalid_passkey when it was answered before, or has expired meanwhile. */
  const answer = async (tx: Transaction, tickets: typeof signing, clientData: string) => {
    const challenge = challengeOf(clientData) ?? '';
    const read = tickets.read(challenge);
    const isNew = read && (await takeChallenge(tx, { challengeHash: hashToken(challenge), expiresAt: read.expiresAt }));
    if (!isNew) throw new ApiError('invalid_passkey');
  };

  /**
   * Checks a signature, then runs `use` with the person in the transaction that records it. Throws invalid_passkey: the
   * passkey is unknown or was removed, the challenge was answered or has expired, or the counter has fallen.
   */
  const sign = async <T>(given: SignedChallenge, use: (tx: Transaction, user: User) => Promise<T>): Promise<T> => {
    const rp = party();
    const found = await findPasskey(store, given.id);
    if (!found) throw new ApiError('invalid_passkey');
    const used = await checkedSignature(rp, found, given, (challenge) => signing.read(challenge) !== null);
    return store.transaction(async (tx) => {
      await answer(tx, signing, given.clientData);
      const recorded = await usePasskey(tx, found, { ...used, lastUsedAt: clock.now() });
      const user = await getUser(tx, found.userId);
      if (!recorded || !user) throw new ApiError('invalid_passkey');
      return use(tx, user);
    });
  };

  return {
    /** Why passkeys do not work at the address of the service; null: they do. */
    refused: 'refused' in site ? site.refused : null,

    ...changesOf(deps),

    /** What the browser needs to make a passkey. Throws passkeys_unavailable, secrets_unavailable. */
    async begin(user: User) {
      const rp = party();
      const known = await listPasskeys(store, user.userId);
      return creationOptions(rp, { ...user, challenge: registering.issue(user.userId).ticket, known, timeout });
    },

    /** Throws invalid_passkey, passkeys_limit, passkeys_unavailable. */
    async register(
      user: User,
      { name, credential }: { name: string; credential: NewCredential },
      done: InTransaction<Passkey>,
    ): Promise<Passkey> {
      const { userId } = user;
      const isChallenge = (challenge: string) => registering.read(challenge)?.id === userId;
      const checked = await checkedCredential(party(), credential, isChallenge);
      const created = { passkeyId: newId('pk'), userId, name, transports: credential.transports, ...checked };
      try {
        return await store.transaction(async (tx) => {
          await answer(tx, registering, credential.clientData);
          if ((await listPasskeys(tx, userId)).length >= limits.passkeys_per_person) {
            const limit = limits.passkeys_per_person;
            const message = `A person can have ${countOf(limit, 'passkey')}; remove one first.`;
            throw new ApiError('passkeys_limit', { message, detail: { limit } });
          }
          const passkey = await insertPasskey(tx, { ...created, createdAt: clock.now() });
          await mailAccountChange(tx, deps, user, { kind: 'passkey_added', name });
          await done(tx, passkey);
          return passkey;
        });
      } catch (cause) {
        // The credential is registered already.
        if (cause instanceof ConstraintError) throw new ApiError('invalid_passkey', { cause });
        throw cause;
      }
    },

    /** What the browser needs to sign with a passkey of this site. Throws passkeys_unavailable, secrets_unavailable. */
    challenge: async () => requestOptions(party(), { challenge: signing.issue('').ticket, timeout }),

    /** Throws invalid_passkey, passkeys_unavailable. */
    signIn: (given: SignedChallenge, origin: Origin, signedIn: InTransaction<SignedIn>): Promise<Begun> =>
      sign(given, async (tx, user) => {
        const begun = await sessions.begin(tx, user, origin);
        await signedIn(tx, begun.person);
        return begun;
      }),

    /** Whether the passkey is one of this person. Throws invalid_passkey, passkeys_unavailable. */
    proves: ({ userId }: Pick<User, 'userId'>, given: SignedChallenge): Promise<void> =>
      sign(given, async (_tx, user) => {
        if (user.userId !== userId) throw new ApiError('invalid_passkey');
      }),
  };
}

/** What people do with the passkeys that they have. */
function changesOf(deps: Pick<PasskeyDeps, 'store'> & AccountMailDeps) {
  const { store } = deps;
  return {
    /** Oldest first. */
    list: (userId: string): Promise<Passkey[]> => listPasskeys(store, userId),

    /** Sends no mail, because the passkey works as before. Throws not_found. */
    rename: (
      { userId }: Pick<User, 'userId'>,
      { passkeyId, name }: { passkeyId: string; name: string },
      done: InTransaction,
    ): Promise<Passkey> =>
      store.transaction(async (tx) => {
        const renamed = await renamePasskey(tx, { userId, passkeyId }, name);
        if (!renamed) throw new ApiError('not_found');
        await done(tx);
        return renamed;
      }),

    /** Throws not_found. */
    remove: (user: User, passkeyId: string, done: InTransaction): Promise<void> =>
      store.transaction(async (tx) => {
        const removed = await deletePasskey(tx, user.userId, passkeyId);
        if (!removed) throw new ApiError('not_found');
        await mailAccountChange(tx, deps, user, { kind: 'passkey_removed', name: removed.name });
        await done(tx);
      }),
  };
}
