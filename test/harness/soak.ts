// Tests with many cases take the sharpest of them by default. `npm run test:soak` also runs every file that imports this
// one, with all cases.

const soak = process.env.CIDERMILL_TEST_SOAK === '1';

/** How many runs: few by default, many in a long run. */
export const runs = (few: number, many: number): number => (soak ? many : few);

/** The cases with these names; in a long run all of the table. */
export function casesOf<T>(table: Readonly<Record<string, T>>, names: readonly string[]): [string, T][] {
  for (const name of names) if (!Object.hasOwn(table, name)) throw new Error(`the table has no ${name}`);
  return Object.entries(table).filter(([name]) => soak || names.includes(name));
}
