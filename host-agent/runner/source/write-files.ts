// Writes files into the work folder. A file is never overwritten in place: the old one is unlinked and a new one
// created exclusively. So no link is followed, other names of the old file do not change, and after a crash the index
// does not match a partial file.
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { isErrno } from '../../../shared/errno.js';
import { removeTree } from '../../system/remove-tree.js';

const PERMISSIONS = 0o7777;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Removes what is at `path`, whose parents are real folders. */
export async function clearPath(path: string, signal: AbortSignal): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) await removeTree(path, signal);
  else if (found) unlinkSync(path);
}

/** Creates the file at `path` and returns its stats. */
export async function replaceFile(path: string, content: Buffer, mode: number, signal: AbortSignal): Promise<Stats> {
  const fd = await createOrReplace(path, signal, () => openSync(path, NEW_FILE, mode));
  try {
    if (content.length > 0) writeFileSync(fd, content);
    const made = fstatSync(fd);
    if ((made.mode & PERMISSIONS) === mode) return made;
    fchmodSync(fd, mode);
    return fstatSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Creates the file as a copy of a large one; shares its blocks where the file system can (APFS). */
export async function replaceWithClone(from: string, path: string, mode: number, signal: AbortSignal): Promise<Stats> {
  const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;
  await createOrReplace(path, signal, () => copyFile(from, path, flags));
  chmodSync(path, mode);
  return lstatSync(path);
}

/** Most paths are free, so the path is cleared only after `make` has failed. */
async function createOrReplace<T>(path: string, signal: AbortSignal, make: () => T | Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    await clearPath(path, signal);
    return await make();
  }
}
