// Tests with many cases run the most demanding ones by default. `npm run test:soak` also runs every file that imports this
// one, with all rows of its tables and more random cases.

const soak = process.env.TEST_SOAK === '1';

/** How many times as many cases as by default a soak run takes: every run has other random ones, so that few are enough. */
const MORE = 4;

/** Of a soak run that is given much time, e.g. `TEST_CASES=50`: how many times as many cases as usual. */
export const asked = Number(process.env.TEST_CASES ?? 1);
if (!Number.isSafeInteger(asked) || asked < 1)
  throw new Error(`TEST_CASES must be a whole number (got ${process.env.TEST_CASES})`);

/** Returns the number of random cases: `few` by default, in a soak run four times as many, times `TEST_CASES`. */
export const cases = (few: number): number => (soak ? few * MORE * asked : few);

/** Returns the distance between the cases that are taken of a long row of similar ones, e.g. the bytes at which a stream ends. */
export const stride = (few: number): number => (soak ? Math.ceil(few / (MORE * asked)) : few);

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
