// Which tests need Linux and root: those that run guests of the stand-ins of tart and lume, which have namespaces and users
// of their own, and those that install the host agent for another user.
import { dirname, join, normalize } from 'node:path';

/** Files that need root: guests, and folders of several users. */
const STAND_INS = ['harness/vm/', 'harness/macos/installation'];
const IMPORT = /^(?:import|export)\b[^'";]*?['"](\.[^'"]+)\.js['"]/gm;

/**
 * Returns the tests that import the stand-ins, directly or through other files of `test/`.
 *
 * @param tests paths below `test` without `.test.ts`
 * @param read returns the source of a file below `test`, e.g. `harness/until.ts`
 * @example testsThatNeedRoot(['soak/rental-lives'], read) // ['soak/rental-lives']
 */
export function testsThatNeedRoot(tests: readonly string[], read: (path: string) => string): string[] {
  const known = new Map<string, boolean>();
  const needs = (path: string): boolean => {
    if (STAND_INS.some((one) => path.startsWith(one))) return true;
    let found = known.get(path);
    if (found !== undefined) return found;
    // Against cycles.
    known.set(path, false);
    found = [...read(path).matchAll(IMPORT)]
      .map(([, to = '']) => `${normalize(join(dirname(path), to))}.ts`)
      .some((to) => !to.startsWith('..') && needs(to));
    known.set(path, found);
    return found;
  };
  return tests.filter((test) => needs(`${test}.test.ts`));
}
