// Selects the test files of a run of `npm test`, their order, and which of them share a process.

/** The folders with the slowest files run first, so that parallel jobs finish at about the same time. */
const slowFirst = [
  'soak',
  'e2e',
  'host-agent',
  'client',
  'payments',
  'platform',
  'events',
  'builds',
  'hosts',
];

export interface Choice {
  /** Runs the soak tests instead of the others. Files that are named run in either case. */
  readonly soak: boolean;
  /** The tests outside `soak` that run more cases in a soak run. */
  readonly longForms?: readonly string[];
  /** Files or folders: `test/renting/availability.test.ts`, `dist/test/renting/availability.test.js`, `test/renting`, `renting/availability`. Empty: all. */
  readonly wanted: readonly string[];
}

/**
 * Selects compiled tests.
 *
 * @param tests paths below `dist/test` without `.test.js`, e.g. `renting/availability`
 * @returns compiled files relative to the project's root, and the wanted names that match no test
 * @example chooseTests(['macs/jobs', 'soak/chaos'], { soak: false, wanted: [] }).files; // ['dist/test/macs/jobs.test.js']
 */
export function chooseTests(
  tests: readonly string[],
  choice: Choice,
): { files: string[]; unknown: string[] } {
  const folderOf = (test: string) => test.split('/')[0] ?? '';
  const rank = (test: string) => {
    const at = slowFirst.indexOf(folderOf(test));
    return at < 0 ? slowFirst.length : at;
  };
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
      : choice.soak
        ? folderOf(test) === 'soak' || choice.longForms?.includes(test)
        : folderOf(test) !== 'soak',
  );
  return {
    files: chosen
      .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
      .map((test) => `dist/test/${test}.test.js`),
    unknown: names.filter(({ name }) => !tests.some((test) => fits(test, name))).map(({ word }) => word),
  };
}

/** Folders whose tests start the service as a process or are slow: one process per file. Excludes subfolders. */
const alone = new Set(['soak', 'e2e']);
const MOST_IN_ONE = 16;
/** Files per process for tests that start many processes: starting one takes longer the larger the parent process is. */
const MOST_OF_SPAWNING = 8;
const spawning = new Set(['client', 'host-agent/daemon', 'host-agent/runner']);

/**
 * Groups files by process: up to sixteen files of one folder, because loading the service takes longer than most tests.
 *
 * @param files as returned by `chooseTests`
 */
export function shareProcesses(files: readonly string[]): string[][] {
  const folders = new Map<string, string[]>();
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf('/'));
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders].flatMap(([folder, group]) => {
    const name = folder.slice('dist/test/'.length);
    const most = alone.has(name) ? 1 : spawning.has(name) ? MOST_OF_SPAWNING : MOST_IN_ONE;
    const processes = Math.ceil(group.length / most);
    const size = Math.ceil(group.length / processes);
    return Array.from({ length: processes }, (_, i) => group.slice(i * size, (i + 1) * size));
  });
}
