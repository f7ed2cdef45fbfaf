// Which files of a manifest are not in the work folder as they should be.
import { chmodSync, lstatSync, type Stats } from 'node:fs';
import type { SourceFile } from '../../../shared/protocol/index.js';
import { takeTurns } from '../../turns.js';
import { hasContent } from './hash-file.js';
import type { Laying } from './laying.js';
import { parentOf, type WorkFolders } from './work-folders.js';
import { hasSha256, hasStamp, isRacy, setStamp, type WorkIndex } from './work-index.js';

const PERMISSIONS = 0o7777;

export interface Comparison {
  /** Rows of the files to write. */
  differing: number[];
  /** Files that only had another mode, and have been given theirs. */
  modesSet: number;
  /** Files whose content had to be read, as their times say nothing. */
  read: number;
}

/**
 * Looks at every file once (one lstat) and reads only those whose times changed although their size did not.
 * The stamps of files that are as they should be are noted in `stamps`.
 */
export async function compareFiles(
  laying: Pick<Laying, 'workDir' | 'signal'>,
  files: readonly SourceFile[],
  folders: WorkFolders,
  before: WorkIndex,
  stamps: Float64Array,
): Promise<Comparison> {
  const result: Comparison = { differing: [], modesSet: 0, read: 0 };
  const rowBefore = rowsOf(before);
  const turn = takeTurns(laying.signal, 512);

  for (let row = 0; row < files.length; row += 1) {
    const pause = turn();
    if (pause) await pause;
    const file = files[row]!;
    const path = `${laying.workDir}/${file.path}`;
    const found = folders.isReal(parentOf(file.path))
      ? lstatSync(path, { throwIfNoEntry: false })
      : undefined;
    if (!found?.isFile() || found.size !== file.size) {
      result.differing.push(row);
      continue;
    }
    const old = before.paths[row] === file.path ? row : rowBefore(file.path);
    const untouched = old !== undefined && hasStamp(before.stamps, old, found) && !isRacy(before, found);
    const same = untouched
      ? hasSha256(before, old, file.sha256)
      : await hasContent(path, file, laying.signal);
    if (!same) {
      result.differing.push(row);
      continue;
    }
    if (!untouched) result.read += 1;
    if ((found.mode & PERMISSIONS) === file.mode) setStamp(stamps, row, found);
    else if (found.nlink === 1) {
      setStamp(stamps, row, setMode(path, file.mode));
      result.modesSet += 1;
    } else {
      // Another name of the same file, perhaps outside the work folder, must not change with it.
      result.differing.push(row);
    }
  }
  return result;
}

function setMode(path: string, mode: number): Stats {
  chmodSync(path, mode);
  return lstatSync(path);
}

/** Where a path stood in the last manifest; most manifests have the same order, so the map is made when needed. */
function rowsOf(index: WorkIndex): (path: string) => number | undefined {
  let rows: Map<string, number> | null = null;
  return (path) => {
    rows ??= new Map(index.paths.map((known, row) => [known, row]));
    return rows.get(path);
  };
}
