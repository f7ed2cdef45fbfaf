// Deletes from the work folder what the service wrote earlier and the new manifest does not have. Files that builds
// created stay: a folder is deleted only when it is empty.
import { lstatSync, unlinkSync } from 'node:fs';
import type { SourceStep } from '../../caches/source-step.js';
import { takeTurns } from '../../system/turns.js';
import { foldersOf, parentOf, type WorkFolders } from './work-folders.js';

/**
 * Deletes files and links at `paths`, then their folders, and `directories`, if they are empty and not `needed`.
 * Returns the number of deleted files and links.
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
    // A folder in a file's place was created by a build.
    if (!found || found.isDirectory()) continue;
    unlinkSync(`${step.workDir}/${path}`);
    removed += 1;
  }
  const emptied = foldersOf([...left.paths, ...left.directories.map((folder) => `${folder}/.`)]);
  // Sets keep insertion order, parents first; in reverse, a folder comes after its content.
  for (const folder of [...emptied].reverse()) if (!needed.has(folder)) folders.removeIfEmpty(folder);
  return removed;
}
