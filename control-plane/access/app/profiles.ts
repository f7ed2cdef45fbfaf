// What people say about themselves: their name and language.
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { SignedIn, User } from '../../platform/domain/person.js';
import type { Store } from '../../platform/store/sql.js';
import { updateUser } from '../store/users.js';

export type ProfileChange = Partial<Pick<User, 'name' | 'language'>>;

export interface Profiles {
  /** Returns the person with the change. `changed` runs in its transaction. */
  change(person: SignedIn, change: ProfileChange, changed: InTransaction): Promise<SignedIn>;
}

export function createProfiles({ store }: { store: Store }): Profiles {
  return {
    change: (person, change, changed) =>
      store.transaction(async (tx) => {
        await updateUser(tx, person.userId, change);
        await changed(tx);
        return { ...person, ...change };
      }),
  };
}
