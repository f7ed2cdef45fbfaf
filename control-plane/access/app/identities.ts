// Signing in with an account at the identity provider. The first sign-in links it to the person with its verified
// e-mail address; from then on it is known by issuer and subject alone, so that it does not matter if the provider
// gives that address to somebody else.
import type { AuditSink } from '../../platform/app/audit-sink.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Ticket } from '../../platform/app/tickets.js';
import { personActor } from '../../platform/domain/audit-entry.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { SignedIn, User } from '../../platform/domain/person.js';
import { ConstraintError, type Queries, type Transaction } from '../../platform/store/sql.js';
import { IDENTITY_LINKED } from '../domain/audit-actions.js';
import { type IdentityClaims, verifiedEmail } from '../domain/identity-claims.js';
import {
  findIdentity,
  hadIdentity,
  type Identity,
  identityOf,
  insertIdentity,
  removeIdentity,
  touchIdentity,
} from '../store/identities.js';
import { findUserByEmail, getUser } from '../store/users.js';
import { type AccountMailDeps, mailAccountChange } from './account-mails.js';
import type { IdentityAnswer, IdentityFlow } from './identity-flow.js';
import type { Begun, HalfSignedIn, Origin, Sessions } from './sessions.js';

export interface IdentityDeps extends Pick<Core, 'store'>, AccountMailDeps {
  readonly clock: Core['clock'];
  readonly auditLog: Pick<AuditSink, 'append'>;
  readonly flow: IdentityFlow;
  readonly sessions: Pick<Sessions, 'begin'>;
  /** Returns a ticket when a code is needed, too. */
  secondStep(db: Queries, user: User, passwordHash: string | null): Promise<Ticket | null>;
}

/** Callbacks run in the transaction of the change. The answers are those of `IdentityFlow.claims`, with its errors. */
export type Identities = ReturnType<typeof createIdentities>;

export function createIdentities(deps: IdentityDeps) {
  const { store, clock, flow, sessions } = deps;

  const passwordOf = async (db: Queries, email: string) => (await findUserByEmail(db, email))?.passwordHash ?? null;

  const mail = mailerOf(deps);
  const personOf = personFinder(deps);

  return {
    /** Null: none is configured. */
    provider: flow.provider,

    begin: flow.begin,

    /** The linked account of the person, or null. */
    of: async (userId: string): Promise<Identity | null> =>
      flow.provider && identityOf(store, userId, flow.provider.issuer),

    /**
     * The second step still follows, because the provider replaces only the password.
     *
     * @param found called with the person before anything else is checked
     * @throws ApiError identity_not_linked, identity_not_invited
     */
    async signIn(
      answer: IdentityAnswer,
      origin: Origin,
      { found, signedIn }: { found(user: User): void; readonly signedIn: InTransaction<SignedIn> },
    ): Promise<Begun | HalfSignedIn> {
      const claims = await flow.claims('sign-in', answer);
      return store.transaction(async (tx) => {
        const { user, identity } = await personOf(tx, claims, origin.ip);
        found(user);
        await touchIdentity(tx, identity, clock.now());
        const secondStep = await deps.secondStep(tx, user, await passwordOf(tx, user.email));
        if (secondStep) return { secondStep };
        const begun = await sessions.begin(tx, user, origin, claims.ageMs ?? 0);
        await signedIn(tx, begun.person);
        return begun;
      });
    },

    /** Throws identity_refused when the account is not that of the person, or was not asked again. */
    async proves({ userId }: Pick<User, 'userId'>, answer: IdentityAnswer): Promise<void> {
      const claims = await flow.claims('confirm', answer);
      const identity = await findIdentity(store, claims.issuer, claims.subject);
      if (identity?.userId !== userId) throw new ApiError('identity_refused');
    },

    /**
     * Returns the person who accepts an invitation, whose account is linked now if it was not before; null for a new
     * person.
     *
     * @param email of the invitation
     * @param ip from where, for the audit log
     * @throws ApiError identity_email_unverified, identity_not_invited, identity_not_linked
     */
    async invited(
      email: string,
      answer: IdentityAnswer,
      ip: string,
    ): Promise<{ user: User | null; claims: IdentityClaims }> {
      const claims = await flow.claims('invite', answer);
      const identity = await findIdentity(store, claims.issuer, claims.subject);
      const user = identity && (await getUser(store, identity.userId));
      if ((user?.email ?? verifiedEmail(claims)) !== email) {
        throw new ApiError('identity_not_invited', {
          message:
            'The invitation was sent to another e-mail address than the one of your account at the identity provider.',
        });
      }
      const isKnown = user !== null || (await findUserByEmail(store, email)) !== null;
      return { user: isKnown ? (await store.transaction((tx) => personOf(tx, claims, ip))).user : null, claims };
    },

    /** Links the account to the person. Throws identity_taken. */
    async link(user: User, answer: IdentityAnswer, linked: InTransaction): Promise<Identity> {
      const claims = await flow.claims('link', answer);
      return store.transaction(async (tx) => {
        const identity = await insertClaims(tx, user.userId, claims, clock.now());
        await mail(tx, user, 'identity_linked');
        await linked(tx);
        return identity;
      });
    },

    /** Throws not_found; identity_needed for a person without a password. */
    unlink: (user: User, unlinked: InTransaction): Promise<void> =>
      store.transaction(async (tx) => {
        const identity = await identityOf(tx, user.userId, flow.provider?.issuer ?? '');
        if (!identity) throw new ApiError('not_found');
        if ((await passwordOf(tx, user.email)) === null) throw new ApiError('identity_needed');
        await removeIdentity(tx, identity, clock.now());
        await mail(tx, user, 'identity_unlinked');
        await unlinked(tx);
      }),
  };
}

function mailerOf(deps: IdentityDeps) {
  return (tx: Transaction, user: User, kind: 'identity_linked' | 'identity_unlinked') =>
    mailAccountChange(tx, deps, user, { kind, name: deps.flow.provider?.name ?? '' });
}

function personFinder(deps: IdentityDeps) {
  const { auditLog, clock } = deps;
  const mail = mailerOf(deps);
  /**
   * The person to whom the account is linked. Links it to the one with its address, unless that person removed a link.
   *
   * @param ip from where, for the audit log
   */
  return async (tx: Transaction, claims: IdentityClaims, ip: string): Promise<{ user: User; identity: Identity }> => {
    const linked = await findIdentity(tx, claims.issuer, claims.subject);
    const person = linked && (await getUser(tx, linked.userId));
    if (linked && person) return { user: person, identity: linked };
    const known = await findUserByEmail(tx, verifiedEmail(claims));
    if (!known) throw new ApiError('identity_not_invited');
    const { user } = known;
    if (await hadIdentity(tx, user.userId, claims.issuer)) throw new ApiError('identity_not_linked');
    const identity = await insertClaims(tx, user.userId, claims, clock.now());
    await mail(tx, user, 'identity_linked');
    await auditLog.append(tx, { ...personActor(user), accountId: null, ip, action: IDENTITY_LINKED, target: null });
    return { user, identity };
  };
}

/** Links an account at the provider. Throws identity_taken when it is linked, or the person has another one. */
export async function insertClaims(
  tx: Transaction,
  userId: string,
  { issuer, subject, email }: IdentityClaims,
  now: number,
): Promise<Identity> {
  try {
    return await insertIdentity(tx, { issuer, subject, userId, email, createdAt: now });
  } catch (cause) {
    if (cause instanceof ConstraintError) throw new ApiError('identity_taken', { cause });
    throw cause;
  }
}
