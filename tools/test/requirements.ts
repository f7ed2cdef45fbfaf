// What tests require of the machine beyond Node. A test, or a file that it imports, declares it in a comment of its own line:
// `// Requires: root, sshd, chromium|google-chrome`.
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const IMPORT = /^(?:import|export)\b[^'";]*?['"](\.[^'"]+)\.js['"]/gm;
const REQUIRES = /^\/\/ Requires: (.+)$/gm;

/**
 * Returns whether this machine has what a word names: `root` means root on Linux, for guests and folders of several users; any
 * other word a program, or several of which one is enough; `sqlite` is met unless the tests run on PostgreSQL.
 *
 * @example isMet('zsh|bash') // true
 */
export function isMet(requirement: string): boolean {
  if (requirement === 'root') return process.platform === 'linux' && process.getuid?.() === 0;
  if (requirement === 'sqlite') return process.env.TEST_POSTGRES === undefined;
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin', ...serverFolders()].filter(Boolean);
  return requirement.split('|').some((name) => folders.some((folder) => isExecutable(join(folder, name))));
}

/** Where Debian keeps the programs of PostgreSQL's servers, which are not in PATH. The newest comes first. */
export function serverFolders(): string[] {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(root, version, 'bin'));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns a function that returns the files of `test/` which a test imports, directly or not, itself among them. */
export function createReach(read: (path: string) => string): (test: string) => ReadonlySet<string> {
  const files = new Map<string, string[]>();
  const importsOf = (path: string) => {
    const imports =
      files.get(path) ??
      [...read(path).matchAll(IMPORT)]
        .map(([, to = '']) => `${normalize(join(dirname(path), to))}.ts`)
        .filter((to) => !to.startsWith('..'));
    files.set(path, imports);
    return imports;
  };
  return (test) => {
    const reached = new Set([`${test}.test.ts`]);
    for (const path of reached) for (const to of importsOf(path)) reached.add(to);
    return reached;
  };
}

/**
 * Returns the requirements of each test that are not met, including those of the files of `test/` that it imports. A test whose
 * requirements are all met is not in the result.
 *
 * @param tests paths below `test` without `.test.ts`
 * @param read returns the source of a file below `test`, e.g. `harness/until.ts`
 * @example unmetRequirements(['soak/alert-rules'], read).get('soak/alert-rules') // ['promtool']
 */
export function unmetRequirements(
  tests: readonly string[],
  read: (path: string) => string,
  isMetHere: (requirement: string) => boolean = isMet,
): Map<string, string[]> {
  const reachedBy = createReach(read);
  const met = new Map<string, boolean>();
  const isUnmet = (requirement: string) => {
    if (!met.has(requirement)) met.set(requirement, isMetHere(requirement));
    return !met.get(requirement);
  };
  const requirementsOf = (path: string) =>
    [...read(path).matchAll(REQUIRES)].flatMap(([, words = '']) => words.split(', '));
  const unmet = (test: string) => [...new Set([...reachedBy(test)].flatMap(requirementsOf))].filter(isUnmet).toSorted();
  return new Map(tests.map((test) => [test, unmet(test)] as const).filter(([, missing]) => missing.length > 0));
}

/**
 * Returns a line per requirement that is not met, with the number of tests that it leaves out.
 *
 * @example leftOutLines(new Map([['soak/alert-rules', ['promtool']]])) // ['# left out: 1 test file requires promtool']
 */
export function leftOutLines(unmet: ReadonlyMap<string, readonly string[]>): string[] {
  const counts = new Map<string, number>();
  for (const requirement of [...unmet.values()].flat()) counts.set(requirement, (counts.get(requirement) ?? 0) + 1);
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([requirement, n]) => {
      // Nothing is missing on this machine: the run is about another database.
      if (requirement === 'sqlite') return `# for SQLite only: ${n} test file${n === 1 ? '' : 's'}`;
      const what = requirement === 'root' ? 'root on Linux' : requirement.replaceAll('|', ' or ');
      return `# left out: ${n} test file${n === 1 ? ' requires' : 's require'} ${what}`;
    });
}
