// A person enters the password again in a session that exists already.
import type { Clock } from '../../../shared/clock.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { SignedIn } from '../../platform/domain/person.js';
import type { Store } from '../../platform/store/sql.js';
import { confirmSession } from '../store/sessions.js';
import { findUserByEmail } from '../store/users.js';
import type { Passwords } from './passwords.js';

/** Throws invalid_credentials. Returns the time of the confirmation, ms. */
export type ConfirmSession = (person: SignedIn, password: string, confirmed: InTransaction) => Promise<number>;

export function createSessionConfirmation(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly passwords: Passwords;
}): ConfirmSession {
  const { store, clock, passwords } = deps;
  return async (person, password, confirmed) => {
    const stored = (await findUserByEmail(store, person.email))?.passwordHash ?? null;
    if (!(await passwords.matches(stored, password))) throw new ApiError('invalid_credentials');
    const now = clock.now();
    await store.transaction(async (tx) => {
      await confirmSession(tx, person.tokenHash, now);
      await confirmed(tx);
    });
    return now;
  };
}
