// Writes files into the work folder. A file is never written in place: what stands there is unlinked and a new file
// made exclusively, so that no link is followed, no other name of the old file changes, and a crash in between
// leaves a file that the index does not vouch for.
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
import { errnoOf } from '../../system/errno.js';
import { removeTree } from '../../system/remove-tree.js';

const PERMISSIONS = 0o7777;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Makes room at `path`, whose parents are real folders. */
export async function clearPath(path: string, signal: AbortSignal): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) await removeTree(path, signal);
  else if (found) unlinkSync(path);
}

/** Makes the file anew at `path`, and returns how it looks then. */
export async function writeFileAnew(
  path: string,
  content: Buffer,
  mode: number,
  signal: AbortSignal,
): Promise<Stats> {
  const fd = await makeAnew(path, signal, () => openSync(path, NEW_FILE, mode));
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

/** Makes the file anew as a copy of a large one; shares its blocks where the file system can (APFS). */
export async function cloneFileAnew(
  from: string,
  path: string,
  mode: number,
  signal: AbortSignal,
): Promise<Stats> {
  const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;
  await makeAnew(path, signal, () => copyFile(from, path, flags));
  chmodSync(path, mode);
  return lstatSync(path);
}

/** Most paths are free, so room is made only after `make` has found that one is not. */
async function makeAnew<T>(path: string, signal: AbortSignal, make: () => T | Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    await clearPath(path, signal);
    return await make();
  }
}
