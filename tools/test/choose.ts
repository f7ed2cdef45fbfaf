// Which test files a run of `npm test` takes, and in which order.

/** Folders whose files take longest come first, so that two jobs end at about the same time. */
const slowFirst = ['soak', 'e2e', 'client', 'host', 'webhooks', 'payments', 'link', 'api', 'unit'];

export interface Choice {
  /** The long runs instead of the others. Files that are named are run in either case. */
  readonly soak: boolean;
  /** Files or folders: `test/unit/ids.test.ts`, `dist/test/unit/ids.test.js`, `test/unit`, `unit/ids`. None: all. */
  readonly wanted: readonly string[];
}

/**
 * Chooses among compiled tests.
 *
 * @param tests paths below `dist/test` without `.test.js`, e.g. `unit/ids`
 * @returns compiled files relative to the project's root, and the wanted names that fit no test
 * @example chooseTests(['unit/ids', 'soak/chaos'], { soak: false, wanted: [] }).files; // ['dist/test/unit/ids.test.js']
 */
export function chooseTests(
  tests: readonly string[],
  choice: Choice,
): { files: string[]; unknown: string[] } {
  const folderOf = (test: string) => test.split('/')[0] ?? '';
  const rank = (test: string) => slowFirst.indexOf(folderOf(test));
  const names = choice.wanted.map((word) => ({
    word,
    name: word
      .replace(/^\.\//, '')
      .replace(/^(dist\/)?test\/?/, '')
      .replace(/(\.test)?\.[jt]s$/, '')
      .replace(/\/$/, ''),
  }));
  const fits = (test: string, name: string) => name === '' || test === name || test.startsWith(`${name}/`);
  const chosen = tests.filter((test) =>
    names.length > 0
      ? names.some(({ name }) => fits(test, name))
      : (folderOf(test) === 'soak') === choice.soak,
  );
  return {
    files: chosen
      .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
      .map((test) => `dist/test/${test}.test.js`),
    unknown: names.filter(({ name }) => !tests.some((test) => fits(test, name))).map(({ word }) => word),
  };
}
