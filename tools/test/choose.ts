// Selects the test files of a run of `npm test`, their order, and which of them share a process.

/** What waits longest runs first, so that parallel jobs end at about the same time. */
const first = ['soak/', 'e2e/', 'client/', 'host-agent/runner/'];
/** What takes longest in a soak run, before all others: begun last, it would run alone at the end. Only the time depends on it. */
export const longest = [
  ...['soak/fair-turns', 'soak/fleet', 'soak/operating', 'soak/reproducible-packages', 'soak/packages'],
  ...['soak/chaos', 'soak/thirty-days', 'soak/vm-agents-killed', 'soak/changes-of-macs', 'soak/macs-come-back'],
  ...['soak/console/operator', 'soak/console/widths', 'soak/console/builds', 'soak/console/billing'],
  ...['soak/console/macs', 'soak/console/pay', 'soak/console/people', 'soak/console/connection'],
  ...['host-agent/driver/interrupted-changes', 'platform/postgres/move-killed', 'host-agent/runner/damage'],
  ...[
    'host-agent/driver/vm-conformance',
    'host-agent/driver/vm-faults',
    'host-agent/installation/interrupted-upgrades',
  ],
];

export interface Choice {
  /** Runs the soak tests instead of the others. Files that are named run in either case. */
  readonly soak: boolean;
  /** The tests outside the folder `soak` that are soak tests too. */
  readonly long?: readonly string[];
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
export function chooseTests(tests: readonly string[], choice: Choice): { files: string[]; unknown: string[] } {
  const isLong = (test: string) => test.startsWith('soak/') || choice.long?.includes(test);
  const length = (test: string) => {
    const place = longest.indexOf(test);
    return place === -1 ? longest.length : place;
  };
  const rank = (test: string) => {
    const place = first.findIndex((folder) => test.startsWith(folder));
    return place === -1 ? first.length : place;
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
        ? isLong(test) || choice.longForms?.includes(test)
        : !isLong(test),
  );
  return {
    files: chosen
      .toSorted((a, b) => length(a) - length(b) || rank(a) - rank(b) || (a < b ? -1 : 1))
      .map((test) => `dist/test/${test}.test.js`),
    unknown: names.filter(({ name }) => !tests.some((test) => fits(test, name))).map(({ word }) => word),
  };
}

/** Folders whose tests are slow: one process per file. Excludes subfolders. */
const alone = new Set(['soak']);
/** Tests with a browser: starting it, and loading the service, takes as long as many of them. */
const BROWSERS = 'soak/console';
const MOST_OF_BROWSERS = 6;
const MOST_IN_ONE = 96;
/** In a soak run, where a file takes several times as long. */
const MOST_LONG_IN_ONE = 24;
/** Files per process for tests that start many processes: starting one takes longer the larger the parent process is. */
const MOST_OF_SPAWNING = 8;
/** Those files share a process within the part of the path that matches: what tests below `e2e` share is their folder's. */
const spawning = /^(?:client$|host-agent(?=\/|$)|e2e(?:\/.*)?$)/;

/** A part of the test files, of which processes take one after another. */
export interface Queue {
  readonly files: readonly string[];
  /** How many of them one process runs at most. */
  readonly most: number;
}

const folderOf = (file: string) => file.slice('dist/test/'.length, file.lastIndexOf('/'));

/** Returns whether a compiled test starts many processes. */
export const startsProcesses = (file: string) => spawning.test(folderOf(file));

/**
 * Returns the queue of each process to start. Up to 96 files share a process, across folders, because loading the service takes
 * longer than most tests; files that start many processes share one with seven others of the same kind. Those wait more and
 * compute less, so they run evenly among the rest. What one process does not get to, another takes: so all end at about the
 * same time, and a process may run half as many again as its share.
 *
 * @param files as returned by `chooseTests`
 */
export function shareProcesses(files: readonly string[], { soak }: { soak: boolean }): Queue[] {
  const groups = new Map<string, { share: number; files: string[] }>();
  for (const file of files) {
    const folder = folderOf(file);
    const shared = spawning.exec(folder)?.[0];
    const [name, share] = alone.has(folder)
      ? [file, 1]
      : shared !== undefined
        ? [shared, MOST_OF_SPAWNING]
        : folder === BROWSERS
          ? [folder, MOST_OF_BROWSERS]
          : ['others', soak ? MOST_LONG_IN_ONE : MOST_IN_ONE];
    const group = groups.get(name) ?? { share, files: [] };
    group.files.push(file);
    groups.set(name, group);
  }
  const processes = [...groups.values()].flatMap(({ share, files }) => {
    const count = Math.ceil(files.length / share);
    const queue = { files, most: Math.ceil((1.5 * files.length) / count) };
    return Array.from({ length: count }, () => queue);
  });
  const kindOf = ({ files: [file = ''] }: Queue) =>
    startsProcesses(file) ? 'waiting' : folderOf(file) === BROWSERS ? 'drawing' : 'computing';
  return spread(['waiting', 'drawing', 'computing'].map((kind) => processes.filter((queue) => kindOf(queue) === kind)));
}

/** Returns all lists as one, each in its order and evenly spread over the whole. */
function spread<T>(lists: readonly (readonly T[])[]): T[] {
  return lists
    .flatMap((list) => list.map((value, i) => ({ value, at: (i + 0.5) / list.length })))
    .toSorted((one, other) => one.at - other.at)
    .map(({ value }) => value);
}
