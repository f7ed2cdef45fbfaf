// A person confirms again who they are, in a session that exists already.
import type { Clock } from '../../../shared/clock.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { SignedIn } from '../../platform/domain/person.js';
import type { Store } from '../../platform/store/sql.js';
import { confirmSession } from '../store/sessions.js';
import { type ConfirmGiven, type ConfirmWayName, type ConfirmWays, confirmWayNames } from './confirm-ways.js';

/**
 * Checks every way that is given, at least one of them. Throws invalid_credentials. Returns the time of the confirmation, ms.
 */
export type ConfirmSession = (
  person: SignedIn,
  given: { readonly [Name in ConfirmWayName]?: ConfirmGiven[Name] | undefined },
  confirmed: InTransaction,
) => Promise<number>;

export function createSessionConfirmation(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly ways: ConfirmWays;
}): ConfirmSession {
  const { store, clock, ways } = deps;
  return async (person, given, confirmed) => {
    const check = async <Name extends ConfirmWayName>(name: Name, one: ConfirmGiven[Name] | undefined) =>
      one === undefined ? 0 : ways[name].check(person, one).then(() => 1);
    let checked = 0;
    for (const name of confirmWayNames) checked += await check(name, given[name]);
    if (checked === 0) throw new Error('nothing was given to confirm the session');
    const now = clock.now();
    await store.transaction(async (tx) => {
      await confirmSession(tx, person.tokenHash, now);
      await confirmed(tx);
    });
    return now;
  };
}
