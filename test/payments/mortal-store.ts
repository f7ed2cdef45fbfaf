// A store of a program that dies at one of its commits, while what is on disk stays.
import type { Store } from '../../control-plane/platform/store/sql.js';

export class Died extends Error {}

/** Dies before or after its n-th commit, and does nothing more. Counts commits. */
export function mortal(store: Store, dies: { at: number; when: 'before' | 'after' } | null) {
  let commits = 0;
  let dead = false;
  const transaction: Store['transaction'] = async (fn) => {
    const mine = ++commits;
    if (dead) throw new Died();
    if (dies?.at === mine && dies.when === 'before') dead = true;
    if (dead) throw new Died();
    const result = await store.transaction(fn);
    if (dies?.at === mine) dead = true;
    if (dead) throw new Died();
    return result;
  };
  const through: Store = {
    ...store,
    transaction,
    run: (sql, params) => transaction((tx) => tx.run(sql, params)),
  };
  return { store: through, commits: () => commits };
}
