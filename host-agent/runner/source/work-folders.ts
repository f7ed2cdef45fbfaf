// Folders inside the work folder. Each part of a path is checked, so that a link planted by an earlier build (`src ->
// /etc`) is never followed; it is replaced by a folder.
import { chmodSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { unless } from '../../../shared/errno.js';
import { removeTree } from '../../system/remove-tree.js';

const OWNER_ALL = 0o700;

export type WorkFolders = ReturnType<typeof createWorkFolders>;

/** Paths are relative to `root` (itself a real folder), with `/`; '' is the root. */
export function createWorkFolders(root: string, signal: AbortSignal) {
  const known = new Map<string, boolean>();

  const look = (folder: string): boolean => {
    if (folder !== '' && !isReal(parentOf(folder))) return false;
    const path = folder === '' ? root : `${root}/${folder}`;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isDirectory()) return false;
    if ((found.mode & OWNER_ALL) !== OWNER_ALL) chmodSync(path, (found.mode & 0o777) | OWNER_ALL);
    return true;
  };
  const isReal = (folder: string): boolean => {
    let real = known.get(folder);
    if (real === undefined) {
      real = look(folder);
      known.set(folder, real);
    }
    return real;
  };

  const make = async (folder: string): Promise<void> => {
    if (isReal(folder)) return;
    await make(parentOf(folder));
    const path = `${root}/${folder}`;
    await removeTree(path, signal);
    mkdirSync(path, 0o755);
    known.set(folder, true);
  };

  return {
    /** Returns whether every part of the path is a real folder. Restores permissions that a build took away. */
    isReal,
    /** Creates the folder with its parents; anything else in their place is deleted. */
    make,
    /** Deletes the folder if it is a real one and empty. */
    removeIfEmpty(folder: string) {
      if (!isReal(folder)) return;
      unless(['ENOTEMPTY', 'EEXIST', 'ENOENT'], () => {
        rmdirSync(`${root}/${folder}`);
        known.set(folder, false);
      });
    },
  };
}

/**
 * Returns a function that checks whether the folder of a path is a real one; fastest when paths are grouped by
 * folder.
 */
export function createParentCheck(folders: WorkFolders): (path: string) => boolean {
  let last = '';
  let real = folders.isReal('');
  return (path) => {
    const length = Math.max(0, path.lastIndexOf('/'));
    if (length !== last.length || !path.startsWith(last)) {
      last = path.slice(0, length);
      real = folders.isReal(last);
    }
    return real;
  };
}

/** @example parentOf('a/b/c') // 'a/b'; parentOf('a') // '' */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns every folder that these paths need, parents first, without ''. */
export function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  const add = (folder: string): void => {
    if (folder === '' || folders.has(folder)) return;
    add(parentOf(folder));
    folders.add(folder);
  };
  for (const path of paths) add(parentOf(path));
  return folders;
}
