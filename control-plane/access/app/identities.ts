// Signing in with an account at the identity provider. A person's account there is known by issuer and subject alone: an
// e-mail address links nothing, because whoever gets the address at the provider would take over the person's account here.
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Ticket } from '../../platform/app/tickets.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { SignedIn, User } from '../../platform/domain/person.js';
import { ConstraintError, type Queries, type Transaction } from '../../platform/store/sql.js';
import { type IdentityClaims, verifiedEmail } from '../domain/identity-claims.js';
import {
  deleteIdentity,
  findIdentity,
  type Identity,
  identityOf,
  insertIdentity,
  touchIdentity,
} from '../store/identities.js';
import { findUserByEmail, getUser } from '../store/users.js';
import { type AccountMailDeps, mailAccountChange } from './account-mails.js';
import type { IdentityAnswer, IdentityFlow } from './identity-flow.js';
import type { Begun, HalfSignedIn, Origin, Sessions } from './sessions.js';

export interface IdentityDeps extends Pick<Core, 'store'>, AccountMailDeps {
  readonly clock: Core['clock'];
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

  /** Why nobody is linked. */
  const unknown = async (db: Queries, claims: IdentityClaims): Promise<ApiError> => {
    const email = verifiedEmail(claims);
    return new ApiError((await findUserByEmail(db, email)) ? 'identity_not_linked' : 'identity_not_invited');
  };

  return {
    /** Null: none is configured. */
    provider: flow.provider,

    begin: flow.begin,

    /** The linked account of the person, or null. */
    of: async (userId: string): Promise<Identity | null> =>
      flow.provider && identityOf(store, userId, flow.provider.issuer),

    /**
     * The second step is asked after it: the provider stands for the password.
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
        const identity = await findIdentity(tx, claims.issuer, claims.subject);
        const user = identity && (await getUser(tx, identity.userId));
        if (!identity || !user) throw await unknown(tx, claims);
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
     * Who accepts an invitation: a person whose account is linked, or null for a new one.
     *
     * @param email of the invitation
     * @throws ApiError identity_email_unverified, identity_not_invited, identity_not_linked
     */
    async invited(email: string, answer: IdentityAnswer): Promise<{ user: User | null; claims: IdentityClaims }> {
      const claims = await flow.claims('invite', answer);
      const identity = await findIdentity(store, claims.issuer, claims.subject);
      const user = identity && (await getUser(store, identity.userId));
      if ((user?.email ?? verifiedEmail(claims)) !== email) {
        throw new ApiError('identity_not_invited', {
          message: 'The invitation is for another e-mail address than that of your account at the identity provider.',
        });
      }
      if (!user && (await findUserByEmail(store, email))) throw new ApiError('identity_not_linked');
      return { user, claims };
    },

    /** Links the account to the person. Throws identity_taken. */
    async link(user: User, answer: IdentityAnswer, linked: InTransaction): Promise<Identity> {
      const claims = await flow.claims('link', answer);
      return store.transaction(async (tx) => {
        const identity = await insertClaims(tx, user.userId, claims, clock.now());
        await mailAccountChange(tx, deps, user, { kind: 'identity_linked', name: flow.provider?.name ?? '' });
        await linked(tx);
        return identity;
      });
    },

    /** Throws not_found; identity_needed for a person without a password. */
    unlink: (user: User, unlinked: InTransaction): Promise<void> =>
      store.transaction(async (tx) => {
        const { issuer = '', name = '' } = flow.provider ?? {};
        if (!(await identityOf(tx, user.userId, issuer))) throw new ApiError('not_found');
        if ((await passwordOf(tx, user.email)) === null) throw new ApiError('identity_needed');
        await deleteIdentity(tx, user.userId, issuer);
        await mailAccountChange(tx, deps, user, { kind: 'identity_unlinked', name });
        await unlinked(tx);
      }),
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
