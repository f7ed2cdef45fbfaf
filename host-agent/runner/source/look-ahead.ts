// Finds the unchanged files of the last checkout. Needs no manifest, because the index has the names, so the files
// can be checked while the manifest is in flight.
import { lstatSync } from 'node:fs';
import type { SourceStep } from '../../caches/source-step.js';
import { takeTurns } from '../../system/turns.js';
import { createParentCheck, type WorkFolders } from './work-folders.js';
import { hasStamp, isRacy, type WorkIndex } from './work-index.js';

/** A small number, so that arriving data is handled soon. */
const FILES_PER_TURN = 128;

/**
 * Calls lstat once for each file of the index.
 *
 * @returns by row of the index: 1 for a file that has not been touched since, 0 for one that must be checked again.
 *   Valid until something is written into the work folder at that path.
 */
export async function lookAhead(
  { workDir, signal }: Pick<SourceStep, 'workDir' | 'signal'>,
  folders: WorkFolders,
  index: WorkIndex,
): Promise<Uint8Array> {
  const untouched = new Uint8Array(index.paths.length);
  const look = createLook(workDir, folders, index, untouched);
  const turn = takeTurns(signal, 1);
  for (let row = 0; row < untouched.length; row += FILES_PER_TURN) {
    await turn();
    look(row, Math.min(untouched.length, row + FILES_PER_TURN));
  }
  return untouched;
}

/** The loop itself; synchronous, because an incremental build waits for it. */
function createLook(workDir: string, folders: WorkFolders, index: WorkIndex, untouched: Uint8Array) {
  const inRealFolder = createParentCheck(folders);
  const prefix = `${workDir}/`;
  const options = { throwIfNoEntry: false } as const;
  return (start: number, end: number): void => {
    for (let row = start; row < end; row += 1) {
      const path = index.paths[row]!;
      const found = inRealFolder(path) ? lstatSync(prefix + path, options) : undefined;
      if (found?.isFile() && hasStamp(index.stamps, row, found) && !isRacy(index, found)) untouched[row] = 1;
    }
  };
}
