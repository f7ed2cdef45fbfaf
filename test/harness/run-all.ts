import type { Test } from 'tap';
import { createClaims, type Ran, runProcess } from '../../tools/test/run-process.js';

/**
 * Runs compiled test files in one process, as `npm test` does.
 *
 * @param files relative to the project's root
 */
export async function runAll(
  t: Test,
  files: readonly string[],
  options: { times?: boolean; signal?: AbortSignal } = {},
): Promise<Ran> {
  const { folder, remove } = createClaims();
  t.teardown(remove);
  const ran = await runProcess({ files, most: files.length }, { claims: folder, show: false, ...options });
  if (ran === null) throw new Error('there are no files');
  return ran;
}
