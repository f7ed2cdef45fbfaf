// The second step of a sign-in with a password or the identity provider. Between the steps the person has a ticket, which gives access to nothing else.
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { createTickets, type Ticket } from '../../platform/app/tickets.js';
import type { Vault } from '../../platform/app/vault.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SignedIn, User } from '../../platform/domain/person.js';
import type { Queries } from '../../platform/store/sql.js';
import { hashToken } from '../domain/session.js';
import { findUserByEmail, getUser } from '../store/users.js';
import type { SecondFactors } from './second-factors.js';
import type { Begun, Origin, Sessions } from './sessions.js';

export type SecondStepTickets = ReturnType<typeof createSecondStepTickets>;

/** Tickets are bound to the person and the password, so that a new password ends a sign-in that is under way. */
export function createSecondStepTickets(deps: {
  readonly clock: Core['clock'];
  readonly limits: Pick<Limits, 'second_step_ms'>;
  readonly vault: Pick<Vault, 'sealBytes' | 'openBytes'>;
  readonly factors: Pick<SecondFactors, 'isOn'>;
}) {
  const { limits, factors } = deps;
  const tickets = createTickets(deps, { purpose: 'second-step', validMs: limits.second_step_ms });
  const idOf = (userId: string, passwordHash: string | null) =>
    `${userId}.${hashToken(passwordHash ?? '').slice(0, 16)}`;
  return {
    /** Returns a ticket for a person with a second factor, else null. */
    async needed(db: Queries, { userId }: User, passwordHash: string | null): Promise<Ticket | null> {
      return (await factors.isOn(db, userId)) ? tickets.issue(idOf(userId, passwordHash)) : null;
    },
    /** Returns the person of a ticket, or null. */
    async personOf(db: Queries, ticket: string): Promise<User | null> {
      const id = tickets.read(ticket)?.id ?? '';
      const user = await getUser(db, id.split('.', 1)[0] ?? '');
      if (!user) return null;
      const stored = await findUserByEmail(db, user.email);
      return stored && idOf(user.userId, stored.passwordHash) === id ? user : null;
    },
  };
}

export type SecondStep = ReturnType<typeof createSecondStep>;

export function createSecondStep(deps: {
  readonly store: Core['store'];
  readonly tickets: Pick<SecondStepTickets, 'personOf'>;
  readonly factors: Pick<SecondFactors, 'take'>;
  readonly sessions: Pick<Sessions, 'begin'>;
}) {
  const { store, tickets, factors, sessions } = deps;
  return {
    /** Returns the person whose sign-in waits for the second step, or null. */
    personOf: (ticket: string): Promise<User | null> => tickets.personOf(store, ticket),

    /** Signs in with a code. Throws sign_in_expired, invalid_code, rate_limited. */
    async complete(
      { ticket, code }: { ticket: string; code: string },
      origin: Origin,
      signedIn: InTransaction<SignedIn>,
    ): Promise<Begun> {
      const begun = await store.transaction(async (tx) => {
        const user = await tickets.personOf(tx, ticket);
        if (!user) throw new ApiError('sign_in_expired');
        // A wrong code is counted, so this transaction is not rolled back.
        if (!(await factors.take(tx, user, code))) return null;
        const session = await sessions.begin(tx, user, origin);
        await signedIn(tx, session.person);
        return session;
      });
      if (!begun) throw new ApiError('invalid_code');
      return begun;
    },
  };
}
