// What tests require of the machine beyond Node. A test, or a file that it imports, declares it in a comment of its own line:
// `// Requires: root, sshd, chromium|google-chrome`.
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const IMPORT = /^(?:import|export)\b[^'";]*?['"](\.[^'"]+)\.js['"]/gm;
const REQUIRES = /^\/\/ Requires: (.+)$/gm;

/**
 * Returns whether this machine has what a word names: `root` means root on Linux, for guests and folders of several users; any
 * other word a program, or several of which one is enough.
 *
 * @example isMet('zsh|bash') // true
 */
export function isMet(requirement: string): boolean {
  if (requirement === 'root') return process.platform === 'linux' && process.getuid?.() === 0;
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
  const files = new Map<string, { requirements: string[]; imports: string[] }>();
  const parsed = (path: string) => {
    const known = files.get(path);
    if (known) return known;
    const source = read(path);
    const requirements = [...source.matchAll(REQUIRES)].flatMap(([, words = '']) => words.split(', '));
    const imports = [...source.matchAll(IMPORT)]
      .map(([, to = '']) => `${normalize(join(dirname(path), to))}.ts`)
      .filter((to) => !to.startsWith('..'));
    files.set(path, { requirements, imports });
    return { requirements, imports };
  };
  const met = new Map<string, boolean>();
  const isUnmet = (requirement: string) => {
    if (!met.has(requirement)) met.set(requirement, isMetHere(requirement));
    return !met.get(requirement);
  };
  const unmet = (test: string) => {
    const reached = new Set([`${test}.test.ts`]);
    for (const path of reached) for (const to of parsed(path).imports) reached.add(to);
    return [...new Set([...reached].flatMap((path) => parsed(path).requirements))].filter(isUnmet).toSorted();
  };
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
      const what = requirement === 'root' ? 'root on Linux' : requirement.replaceAll('|', ' or ');
      return `# left out: ${n} test file${n === 1 ? ' requires' : 's require'} ${what}`;
    });
}
