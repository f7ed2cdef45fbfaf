// What people say about themselves: their name and language.
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { SignedIn, User } from '../../platform/domain/person.js';
import type { Store } from '../../platform/store/sql.js';
import { updateUser } from '../store/users.js';

export type ProfileChange = Partial<Pick<User, 'name' | 'language'>>;

export type Profiles = ReturnType<typeof createProfiles>;

export function createProfiles({ store }: { store: Store }) {
  return {
    /** Returns the person with the change. `changed` runs in its transaction. */
    change: (person: SignedIn, change: ProfileChange, changed: InTransaction): Promise<SignedIn> =>
      store.transaction(async (tx) => {
        await updateUser(tx, person.userId, change);
        await changed(tx);
        return { ...person, ...change };
      }),
  };
}
