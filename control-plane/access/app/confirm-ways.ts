// The ways in which people confirm who they are in a session that exists already. A further way is one more entry here, with
// the shape of what is given in http/confirm-given.ts.
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { SignedIn } from '../../platform/domain/person.js';
import type { Store } from '../../platform/store/sql.js';
import { findUserByEmail } from '../store/users.js';
import type { Passwords } from './passwords.js';

export const confirmWayNames = ['password'] as const;
export type ConfirmWayName = (typeof confirmWayNames)[number];

/** What a person gives to confirm who they are. */
export interface ConfirmGiven {
  readonly password: string;
}

export interface ConfirmWay<Given> {
  isOpenTo(person: Pick<SignedIn, 'email'>): Promise<boolean>;
  /** Throws invalid_credentials. */
  check(person: Pick<SignedIn, 'email'>, given: Given): Promise<void>;
}

export type ConfirmWays = { readonly [Name in ConfirmWayName]: ConfirmWay<ConfirmGiven[Name]> };

export function createConfirmWays({
  store,
  passwords,
}: {
  readonly store: Store;
  readonly passwords: Passwords;
}): ConfirmWays {
  const hashOf = async (email: string) => (await findUserByEmail(store, email))?.passwordHash ?? null;
  return {
    password: {
      isOpenTo: async ({ email }) => (await hashOf(email)) !== null,
      async check({ email }, password) {
        if (!(await passwords.matches(await hashOf(email), password))) throw new ApiError('invalid_credentials');
      },
    },
  };
}

/** Returns the ways that are open to the person, in the order of their table. */
export async function openWays(ways: ConfirmWays, person: Pick<SignedIn, 'email'>): Promise<ConfirmWayName[]> {
  const open = await Promise.all(confirmWayNames.map((name) => ways[name].isOpenTo(person)));
  return confirmWayNames.filter((_, at) => open[at]);
}
