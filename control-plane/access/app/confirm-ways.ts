// The ways in which people confirm who they are in a session that exists already. A further way is one more entry here, with
// the shape of what is given in http/confirm-given.ts.
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { User } from '../../platform/domain/person.js';
import type { Store } from '../../platform/store/sql.js';
import { wrongPassword } from '../domain/wrong-password.js';
import { findUserByEmail } from '../store/users.js';
import type { Identities } from './identities.js';
import type { IdentityAnswer } from './identity-flow.js';
import type { Passkeys, SignedChallenge } from './passkeys.js';
import type { Passwords } from './passwords.js';
import type { SecondFactors } from './second-factors.js';

/** In the order in which people are asked. */
export const confirmWayNames = ['passkey', 'password', 'provider', 'code'] as const;
export type ConfirmWayName = (typeof confirmWayNames)[number];

/** What a person gives to confirm who they are. */
export interface ConfirmGiven {
  readonly passkey: SignedChallenge;
  readonly password: string;
  /** The answer of the identity provider, which has asked the person again. */
  readonly provider: IdentityAnswer;
  /** A code of the authenticator app, or a recovery code. */
  readonly code: string;
}

export interface ConfirmWay<Given> {
  isOpenTo(person: User): Promise<boolean>;
  /**
   * Throws invalid_credentials, invalid_passkey, passkeys_unavailable, invalid_code, rate_limited, secrets_unavailable, and
   * what an answer of the identity provider throws.
   */
  check(person: User, given: Given): Promise<void>;
}

export type ConfirmWays = { readonly [Name in ConfirmWayName]: ConfirmWay<ConfirmGiven[Name]> };

export function createConfirmWays({
  store,
  passwords,
  factors,
  passkeys,
  identities,
}: {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly factors: Pick<SecondFactors, 'isOn' | 'check'>;
  /** Undefined in commands that run beside the service, where nobody signs in. */
  readonly passkeys: Pick<Passkeys, 'refused' | 'list' | 'proves'> | undefined;
  /** Undefined there, too. */
  readonly identities: Pick<Identities, 'of' | 'proves'> | undefined;
}): ConfirmWays {
  const hashOf = async (email: string) => (await findUserByEmail(store, email))?.passwordHash ?? null;
  return {
    passkey: {
      isOpenTo: async ({ userId }) => passkeys?.refused === null && (await passkeys.list(userId)).length > 0,
      async check(person, given) {
        if (!passkeys) throw new ApiError('passkeys_unavailable');
        await passkeys.proves(person, given);
      },
    },
    password: {
      isOpenTo: async ({ email }) => (await hashOf(email)) !== null,
      async check({ email }, password) {
        if (!(await passwords.matches(await hashOf(email), password))) throw wrongPassword('password');
      },
    },
    provider: {
      isOpenTo: async ({ userId }) => ((await identities?.of(userId)) ?? null) !== null,
      async check(person, answer) {
        if (!identities) throw new ApiError('identity_provider_missing');
        await identities.proves(person, answer);
      },
    },
    code: {
      isOpenTo: ({ userId }) => factors.isOn(store, userId),
      check: (person, code) => factors.check(person, code),
    },
  };
}

/** Returns the ways that are open to the person, in the order of their table. */
export async function openWays(ways: ConfirmWays, person: User): Promise<ConfirmWayName[]> {
  const open = await Promise.all(confirmWayNames.map((name) => ways[name].isOpenTo(person)));
  return confirmWayNames.filter((_, at) => open[at]);
}
