// Accepting an invitation. The link alone is not enough for a person who has an account: they sign in, or give their
// password.

import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SignedIn, User } from '../../platform/domain/person.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type IdentityClaims, nameOf } from '../domain/identity-claims.js';
import { type Invite, isOpen } from '../domain/invite.js';
import { hashToken, isTokenForm } from '../domain/session.js';
import { wrongPassword } from '../domain/wrong-password.js';
import { closeInvite, findInvite } from '../store/invites.js';
import { getOrganization, type Organization } from '../store/organizations.js';
import { findUserByEmail, getUser, insertUser } from '../store/users.js';
import { type Identities, insertClaims } from './identities.js';
import type { IdentityAnswer } from './identity-flow.js';
import { addMember, isMember } from './members.js';
import type { NotifyDeps } from './notices.js';
import type { Passwords } from './passwords.js';
import type { SecondFactors } from './second-factors.js';
import type { Origin, Sessions } from './sessions.js';

/** What the holder of a link is shown. */
export interface OpenInvite {
  readonly invite: Invite;
  readonly organization: Organization;
  /** E-mail address of the person who invites; null: an operator. */
  readonly invitedBy: string | null;
  /** Whether the person has an account, and has to give its password. */
  readonly known: boolean;
}

export interface Acceptance {
  readonly token: string;
  /** Of a new person. */
  readonly name?: string | null | undefined;
  /** The password of the person, or the one that a new person chooses. Not needed with a session of the person. */
  readonly password?: string | undefined;
  /** Of the identity provider, instead of a password. */
  readonly provider?: IdentityAnswer | undefined;
}

export interface Accepted {
  readonly invite: Invite;
  readonly user: User;
}

interface NewPerson {
  readonly name: string | null;
  /** Null: the person signs in with the identity provider. */
  readonly passwordHash: string | null;
  readonly claims: IdentityClaims | null;
}

export type InviteAcceptance = ReturnType<typeof createInviteAcceptance>;

export interface InviteAcceptanceDeps extends Pick<Core, 'store' | 'clock'> {
  readonly passwords: Passwords;
  readonly factors: Pick<SecondFactors, 'isOn'>;
  /** Undefined in commands that run beside the service, where nobody signs in. */
  readonly identities: Pick<Identities, 'invited'> | undefined;
  readonly sessions: Pick<Sessions, 'begin'>;
  readonly notices: NotifyDeps;
  readonly limits: Pick<Limits, 'organizations_per_person' | 'name_chars'>;
}

export function createInviteAcceptance(deps: InviteAcceptanceDeps) {
  const { store, clock, passwords, factors, identities, sessions, notices, limits } = deps;

  const open = async (db: Queries, token: string) => {
    const invite = isTokenForm(token) ? await findInvite(db, hashToken(token)) : null;
    if (!invite || !isOpen(invite, clock.now())) return null;
    const organization = await getOrganization(db, invite.accountId);
    return organization && organization.status !== 'closed' ? { invite, organization } : null;
  };

  /** Returns the person's session as an identity, or checks the password of the person, or hashes that of a new one. */
  const identify = async (
    invite: Invite,
    { name, password, provider }: Acceptance,
    session: SignedIn | null,
    { ip }: Origin,
  ) => {
    if (session?.email === invite.email) return { kind: 'session', user: session } as const;
    if (provider) {
      if (!identities) throw new ApiError('identity_provider_missing');
      const { user, claims } = await identities.invited(invite.email, provider, ip);
      if (user && (await factors.isOn(store, user.userId))) throw signInFirst();
      const ageMs = claims.ageMs ?? 0;
      if (user) return { kind: 'known', user, ageMs } as const;
      return {
        kind: 'new',
        name: name ?? nameOf(claims, limits.name_chars),
        passwordHash: null,
        claims,
        ageMs,
      } as const;
    }
    if (password === undefined) throw missing('password');
    const known = await findUserByEmail(store, invite.email);
    if (known) {
      if (await passwords.matches(known.passwordHash, password)) {
        if (await factors.isOn(store, known.user.userId)) throw signInFirst();
        return { kind: 'known', user: known.user, ageMs: 0 } as const;
      }
      throw wrongPassword('password');
    }
    if (!name) throw missing('name');
    return { kind: 'new', name, passwordHash: await passwords.hash(password), claims: null, ageMs: 0 } as const;
  };

  const create = async (tx: Transaction, email: string, { name, passwordHash, claims }: NewPerson) => {
    // Another invitation of the same person may have been accepted meanwhile.
    if (await findUserByEmail(tx, email)) throw new ApiError('invalid_credentials');
    const user = {
      userId: newId('user'),
      email,
      name,
      operator: false,
      language: null,
      createdAt: clock.now(),
    };
    const created = await insertUser(tx, { ...user, passwordHash });
    if (claims) await insertClaims(tx, user.userId, claims, clock.now());
    return created;
  };

  return {
    /** Throws not_found for an invitation that is unknown, used, revoked or expired. */
    async find(token: string): Promise<OpenInvite> {
      const found = await open(store, token);
      if (!found) throw unknownInvite();
      const { invitedBy, email } = found.invite;
      const inviter = invitedBy === null ? null : await getUser(store, invitedBy);
      const known = (await findUserByEmail(store, email)) !== null;
      return { ...found, invitedBy: inviter?.email ?? null, known };
    },

    /** Returns the e-mail address that an open invitation was sent to, or null. */
    emailOf: async (token: string): Promise<string | null> => (await open(store, token))?.invite.email ?? null,

    /**
     * Makes the person a member. Returns a new session, or null if the person has one.
     *
     * @param accepted runs in the transaction of the change
     * @throws ApiError not_found; invalid_credentials; second_factor_required; organization_suspended; invalid_request;
     *   identity_taken, and the errors of `Identities.invited`
     */
    async accept(given: Acceptance, session: SignedIn | null, origin: Origin, accepted: InTransaction<Accepted>) {
      const found = await open(store, given.token);
      if (!found) {
        // Takes as long as a wrong password.
        await passwords.matches(null, given.password ?? '');
        throw unknownInvite();
      }
      if (found.organization.status === 'suspended') throw new ApiError('organization_suspended');
      const identity = await identify(found.invite, given, session, origin);
      return store.transaction(async (tx) => {
        const now = await open(tx, given.token);
        if (!now) throw unknownInvite();
        const { invite } = now;
        const { accountId, email, role, workspaceIds } = invite;
        const user = identity.kind === 'new' ? await create(tx, email, identity) : identity.user;
        await closeInvite(tx, invite, clock.now());
        if (!(await isMember(tx, accountId, email))) {
          await addMember(tx, { ...notices, limits }, { accountId, user, role }, workspaceIds);
        }
        await accepted(tx, { invite, user });
        return identity.kind === 'session' ? null : sessions.begin(tx, user, origin, identity.ageMs);
      });
    },
  };
}

function unknownInvite(): ApiError {
  return new ApiError('not_found', {
    message: 'The invitation is unknown, used, revoked or expired. Ask for a new one.',
  });
}

/** The password alone does not sign in this person. */
function signInFirst(): ApiError {
  return new ApiError('second_factor_required', {
    message: 'This account uses two-step sign-in: sign in first, then open the link of the invitation again.',
  });
}

function missing(field: 'name' | 'password'): ApiError {
  return fieldError('invalid_request', field, fieldProblem('required'));
}
