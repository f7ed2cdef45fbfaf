// Takes out of the work folder what the service laid earlier and the new manifest does not hold any more. What
// builds made stays: a folder goes only when nothing is left in it.
import { lstatSync, unlinkSync } from 'node:fs';
import type { SourceStep } from '../../caches/source-step.js';
import { takeTurns } from '../../system/turns.js';
import { foldersOf, parentOf, type WorkFolders } from './work-folders.js';

/**
 * Removes files and links at `paths`, then those folders of theirs, and of `directories`, that are empty and not
 * `needed`. Returns how many files and links were removed.
 */
export async function removeLeft(
  step: Pick<SourceStep, 'workDir' | 'signal'>,
  left: { paths: readonly string[]; directories: readonly string[] },
  needed: ReadonlySet<string>,
  folders: WorkFolders,
): Promise<number> {
  const turn = takeTurns(step.signal, 512);
  let removed = 0;
  for (const path of left.paths) {
    await turn();
    if (!folders.isReal(parentOf(path))) continue;
    const found = lstatSync(`${step.workDir}/${path}`, { throwIfNoEntry: false });
    // A folder in a file's place was made by a build.
    if (!found || found.isDirectory()) continue;
    unlinkSync(`${step.workDir}/${path}`);
    removed += 1;
  }
  const emptied = foldersOf([...left.paths, ...left.directories.map((folder) => `${folder}/.`)]);
  // Sets keep their order, parents first: backwards, a folder is looked at after what it holds.
  for (const folder of [...emptied].reverse()) if (!needed.has(folder)) folders.removeIfEmpty(folder);
  return removed;
}
