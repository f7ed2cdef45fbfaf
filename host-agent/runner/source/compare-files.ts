// Finds the files of a manifest that differ in the work folder.
import { chmodSync, lstatSync, type Stats } from 'node:fs';
import type { SourceFile } from '../../../shared/protocol/index.js';
import type { SourceStep } from '../../caches/source-step.js';
import { hasContent } from '../../system/hash-file.js';
import { takeTurns } from '../../system/turns.js';
import { createParentCheck, type WorkFolders } from './work-folders.js';
import { copyStamp, hasSha256, PERMISSIONS, permissionsOf, setStamp, sizeOf, type WorkIndex } from './work-index.js';

const FILES_PER_TURN = 512;

export interface Comparison {
  /** Rows of the files to write. */
  differing: number[];
  /** Number of files whose mode was corrected. */
  modesSet: number;
  /** Number of files whose content had to be read, because their times have changed. */
  read: number;
}

/**
 * Checks the files that `untouched` does not cover; reads only those with changed times and unchanged size. Sets the
 * stamps of files that are as they should be.
 *
 * @param untouched see {@link lookAhead}; by row of `before`
 */
export async function compareFiles(
  step: Pick<SourceStep, 'workDir' | 'signal'>,
  files: readonly SourceFile[],
  folders: WorkFolders,
  before: WorkIndex,
  untouched: Uint8Array,
  stamps: Float64Array,
): Promise<Comparison> {
  const { workDir, signal } = step;
  const fastPass = createFastPass(workDir, files, folders, { before, untouched }, stamps);
  const turn = takeTurns(signal, 1);
  for (let row = 0; row < files.length; row += FILES_PER_TURN) {
    await turn();
    fastPass.at(row, Math.min(files.length, row + FILES_PER_TURN));
  }
  const { differing } = fastPass;
  let modesSet = 0;
  for (const { row, found, read } of fastPass.unsure) {
    await turn();
    const file = files[row]!;
    const path = `${workDir}/${file.path}`;
    if (read && !(await hasContent(path, file, signal))) differing.push(row);
    else if ((found.mode & PERMISSIONS) === file.mode) setStamp(stamps, row, found);
    // Another name of the same file, perhaps outside the work folder, must not change with it.
    else if (found.nlink > 1) differing.push(row);
    else {
      chmodSync(path, file.mode);
      setStamp(stamps, row, lstatSync(path));
      modesSet += 1;
    }
  }
  return { differing, modesSet, read: fastPass.unsure.length };
}

interface Unsure {
  row: number;
  found: Stats;
  /** The content has to be compared; otherwise only the mode differs. */
  read: boolean;
}

/** The fast pass over all files; synchronous, because an incremental build waits for it. */
function createFastPass(
  workDir: string,
  files: readonly SourceFile[],
  folders: WorkFolders,
  { before, untouched }: { before: WorkIndex; untouched: Uint8Array },
  stamps: Float64Array,
) {
  const differing: number[] = [];
  const unsure: Unsure[] = [];
  const rowBefore = rowsOf(before);
  const inRealFolder = createParentCheck(folders);
  const options = { throwIfNoEntry: false } as const;

  const lookAgain = (row: number, file: SourceFile): void => {
    const found = inRealFolder(file.path) ? lstatSync(`${workDir}/${file.path}`, options) : undefined;
    if (found?.isFile() && found.size === file.size) unsure.push({ row, found, read: true });
    else differing.push(row);
  };
  const at = (start: number, end: number): void => {
    for (let row = start; row < end; row += 1) {
      const file = files[row]!;
      const old = before.paths[row] === file.path ? row : rowBefore(file.path);
      if (old === undefined || untouched[old] !== 1) lookAgain(row, file);
      else if (!hasSha256(before, old, file.sha256) || sizeOf(before, old) !== file.size) differing.push(row);
      else if (permissionsOf(before, old) === file.mode) copyStamp(before, old, stamps, row);
      else unsure.push({ row, found: lstatSync(`${workDir}/${file.path}`), read: false });
    }
  };
  return { at, differing, unsure };
}

/**
 * Returns a function from path to row in the last manifest. The map is built on demand, because most manifests keep
 * their order.
 */
function rowsOf(index: WorkIndex): (path: string) => number | undefined {
  let rows: Map<string, number> | null = null;
  return (path) => {
    rows ??= new Map(index.paths.map((known, row) => [known, row]));
    return rows.get(path);
  };
}
