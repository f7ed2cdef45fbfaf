// Creates the first person of an empty service. The token is printed on startup and works only while there are no
// people.
import type { Clock } from '../../../shared/clock.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { User } from '../../platform/domain/person.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import { createToken, hashToken } from '../domain/session.js';
import { deleteFirstOwnerToken, readFirstOwnerToken, writeFirstOwnerToken } from '../store/first-owner.js';
import { hasUsers, insertMember, insertUser } from '../store/users.js';
import type { NewOrganization, Organizations } from './organizations.js';
import type { Passwords } from './passwords.js';
import type { Begun, Origin, Sessions } from './sessions.js';
import { checkedEmail } from './users.js';

export interface FirstOwner {
  /**
   * Issues a new token, valid for `first_owner_ms`, which replaces the previous one; null when there are people
   * already.
   */
  issue(): Promise<string | null>;
  /** Returns whether the service has no people yet. */
  isMissing(): Promise<boolean>;
  /**
   * Creates the person, who becomes an operator, and their organization, and signs them in. Throws forbidden unless
   * the token is current, unused and unexpired; invalid_request for an invalid e-mail, password or name.
   */
  claim(
    claim: { token: string; email: string; password: string; name: string | null; organization: string },
    origin: Origin,
    claimed: InTransaction<FirstOrganization>,
  ): Promise<Begun>;
}

/** The first organization and its owner. */
export interface FirstOrganization extends NewOrganization {
  readonly owner: User;
}

export function createFirstOwner(deps: {
  store: Store;
  clock: Clock;
  limits: Pick<Limits, 'first_owner_ms'>;
  passwords: Passwords;
  sessions: Pick<Sessions, 'begin'>;
  organizations: Pick<Organizations, 'createIn'>;
}): FirstOwner {
  const { store, clock, limits, passwords, sessions, organizations } = deps;

  const check = async (db: Queries, token: string) => {
    const expected = await readFirstOwnerToken(db);
    const now = clock.now();
    const fits = expected && expected.tokenHash === hashToken(token) && now < expected.expiresAt;
    if (fits && !(await hasUsers(db))) return;
    throw new ApiError('forbidden', {
      message:
        'The token is wrong, used or expired. Until the first person exists, each start of the server prints a new one.',
    });
  };

  return {
    isMissing: async () => !(await hasUsers(store)),

    issue: () =>
      store.transaction(async (tx) => {
        if (await hasUsers(tx)) {
          await deleteFirstOwnerToken(tx);
          return null;
        }
        const token = createToken();
        const expiresAt = clock.now() + limits.first_owner_ms;
        await writeFirstOwnerToken(tx, { tokenHash: hashToken(token), expiresAt });
        return token;
      }),

    async claim({ token, email: given, password, name, organization }, origin, claimed) {
      await check(store, token);
      const email = checkedEmail(given);
      const passwordHash = await passwords.hash(password);
      const userId = newId('user');
      return store.transaction(async (tx) => {
        // Another claim may have been faster.
        await check(tx, token);
        const now = clock.now();
        const made = await organizations.createIn(tx, { name: organization });
        const owner = { userId, email, name, operator: true, language: null, createdAt: now };
        await insertUser(tx, { ...owner, passwordHash });
        await insertMember(tx, { accountId: made.id, userId, role: 'owner', joinedAt: now });
        await deleteFirstOwnerToken(tx);
        await claimed(tx, { ...made, owner });
        return sessions.begin(tx, owner, origin);
      });
    },
  };
}
