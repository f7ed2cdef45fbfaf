// Writes what came from a guest into a new private folder of this host. Links are made last, so nothing is written through
// one, whatever names the guest sends.
import {
  closeSync,
  constants,
  futimesSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { isErrno } from '../../../shared/errno.js';
import { removeTree } from '../../system/remove-tree.js';
import type { ListedEntry } from './listing.js';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** The name is not possible on this host: too long, not valid here, or equal to another one where case does not count. */
const BAD_NAME = ['EEXIST', 'EILSEQ', 'EINVAL', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR'];

export type Writer = ReturnType<typeof createWriter>;

/** @param root created by this call; its parent has to exist */
export function createWriter(root: string) {
  mkdirSync(root, { mode: 0o700 });
  const folders = new Set(['']);
  let fd: number | null = null;
  const at = (path: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
  const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const make = (path: string, work: () => void): boolean => {
    if (!folders.has(parentOf(path))) return false;
    try {
      work();
      return true;
    } catch (error) {
      if (isErrno(error, ...BAD_NAME)) return false;
      throw error;
    }
  };
  return {
    /** Creates a folder. Returns false when its name is not possible on this host; then nothing below it can be created. */
    folder: ({ path }: ListedEntry) =>
      make(path, () => mkdirSync(at(path), { mode: 0o700 })) && folders.add(path) !== null,
    /** Creates a file; the following calls append to it. */
    open: ({ path, executable }: ListedEntry) =>
      make(path, () => {
        fd = openSync(at(path), NEW_FILE, executable ? 0o700 : 0o600);
      }),
    append(bytes: Buffer) {
      for (let done = 0; fd !== null && done < bytes.length; ) done += writeSync(fd, bytes, done);
    },
    close({ mtime }: ListedEntry) {
      if (fd === null) return;
      futimesSync(fd, mtime, mtime);
      closeSync(fd);
      fd = null;
    },
    link: ({ path, mtime }: ListedEntry, target: string) =>
      make(path, () => {
        symlinkSync(Buffer.from(target, 'latin1'), at(path));
        lutimesSync(at(path), mtime, mtime);
      }),
    /** Sets the time of a folder, when its content is complete. */
    date: ({ path, mtime }: ListedEntry) => utimesSync(at(path), mtime, mtime),
    /** Deletes a file or a whole bundle that has not arrived whole. */
    async remove(path: string) {
      if (fd !== null) closeSync(fd);
      fd = null;
      await removeTree(at(path));
      for (const folder of folders) if (`${folder}/`.startsWith(`${path}/`)) folders.delete(folder);
    },
    has: (folder: string) => folders.has(folder),
  };
}
