// Tests with many cases run the most demanding ones by default. `npm run test:soak` also runs every file that imports this
// one, with all cases.

const soak = process.env.TEST_SOAK === '1';

/** Returns the number of runs: `few` by default, `many` in a soak run. */
export const runs = (few: number, many: number): number => (soak ? many : few);

/** Returns every `n`th item; in a soak run all items. */
export const everyNth = <T>(n: number, items: readonly T[]): readonly T[] =>
  soak ? items : items.filter((_, at) => at % n === 0);

/** Returns the cases with these names; in a soak run all cases. */
export function casesOf<T>(table: Readonly<Record<string, T>>, names: readonly string[]): [string, T][] {
  for (const name of names) if (!Object.hasOwn(table, name)) throw new Error(`the table has no ${name}`);
  return Object.entries(table).filter(([name]) => soak || names.includes(name));
}
