// How many of a kind are under way for each name: in this process, or in all that share a database.
import type { SharedCounts } from '../domain/shared-state.js';

/** @param shared where processes count together; null: this process counts by itself */
export function createHeldCounts(kind: string, shared: SharedCounts | null) {
  const here = new Map<string, number>();
  let sum = 0;
  const add = (name: string, amount: number) => {
    const count = (here.get(name) ?? 0) + amount;
    if (count > 0) here.set(name, count);
    else here.delete(name);
    sum += amount;
  };
  const nameOf = (name: string) => `${kind} ${name}`;
  return {
    /** Counts one more, and returns the function that stops counting it; null if there are as many as `most` already. */
    async enter(name: string, most: number): Promise<(() => void) | null> {
      if (shared === null ? (here.get(name) ?? 0) >= most : (await shared.take(nameOf(name), 1, most)) === null)
        return null;
      add(name, 1);
      return () => {
        add(name, -1);
        shared?.give(nameOf(name), 1);
      };
    },
    /** Of all processes. */
    total: async (name: string): Promise<number> =>
      shared === null ? (here.get(name) ?? 0) : shared.total(nameOf(name)),
    /** Of all names in this process. */
    here: (): number => sum,
  };
}
