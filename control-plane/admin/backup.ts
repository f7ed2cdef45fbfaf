// Writes a copy of the database while the service goes on.
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { isErrno, unless } from '../../shared/errno.js';
import type { DataFolder } from '../data-folder.js';
import { ApiError } from '../platform/domain/error-catalog.js';
import type { Store } from '../platform/store/sql.js';

/**
 * Creates the file atomically: complete, synced to disk, and from its first byte readable by its owner only. The partial
 * file is new and has a random name, so that no other backup and no other user has it open.
 *
 * @param file absolute path
 * @throws ApiError (invalid_request) for a path that cannot be written, the service's own files, and a database on a server
 */
export async function writeBackup(store: Store, file: string, data: DataFolder): Promise<void> {
  if (isOwnFile(file, data)) {
    const message = `${file} is a file that the service uses: give the backup another name.`;
    throw new ApiError('invalid_request', { message });
  }
  if (store.dialect === 'postgres') {
    const message =
      'The database is on a server of PostgreSQL: back it up there, e.g. with pg_dump, together with the data folder of the service.';
    throw new ApiError('invalid_request', { message });
  }
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`;
  try {
    const handle = await open(partial, 'wx', 0o600);
    try {
      await store.backup(partial);
      await handle.sync();
      await rename(partial, file);
    } finally {
      await handle.close();
    }
  } catch (error) {
    // The first error is the one to report; what could not be removed is named `….partial`.
    await rm(partial, { force: true }).catch(() => undefined);
    if (!isErrno(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EROFS', 'ENAMETOOLONG')) throw error;
    const message = `the backup cannot be written: ${error instanceof Error ? error.message : String(error)}`;
    throw new ApiError('invalid_request', { message, cause: error });
  }
}

/** Replacing one of them would cut a running service off from its database, or delete its key. */
function isOwnFile(file: string, { database, keyFile, lock, devLock }: DataFolder): boolean {
  const lookUp = (path: string) => unless(['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG'], () => statSync(path));
  const target = lookUp(file);
  const own = [database, `${database}-wal`, `${database}-shm`, `${database}-journal`, keyFile, lock, devLock];
  return own.some((path) => {
    if (path === file) return true;
    const found = lookUp(path);
    return found !== undefined && found.ino === target?.ino && found.dev === target.dev;
  });
}
