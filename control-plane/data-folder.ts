// Layout of the `--data` folder, shared by the service and the admin commands, and how the service locks it.
import { accessSync, constants, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemClock } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import { checkFolderOwner, createPrivateFile, ForeignFolderError, makePrivate } from '../shared/private-folder.js';
import { describeOwner, type FolderLock, FolderLockedError, takeFolderLock } from './platform/store/folder-lock.js';
import { type KeyFile, openKeyFile } from './platform/store/key-file.js';
import { DatabaseVersionError, migrate } from './platform/store/migrate.js';
import { migrations } from './platform/store/migrations/all.js';
import { movedProblem } from './platform/store/move/moved.js';
import type { Store } from './platform/store/sql.js';
import { openSqlite } from './platform/store/sqlite.js';
import { StartError } from './start-error.js';

export interface DataFolder {
  readonly database: string;
  /** Encryption keys of secrets at rest; not part of database backups. */
  readonly keyFile: string;
  /** Lock file of a running control plane. */
  readonly lock: string;
  /** Lock file of a running `cidermill dev`, which starts control planes. */
  readonly devLock: string;
}

/** @param data absolute path of the folder */
export function dataFolder(data: string): DataFolder {
  return {
    database: join(data, 'cidermill.db'),
    keyFile: join(data, 'secret.key'),
    lock: join(data, 'service.lock'),
    devLock: join(data, 'dev.lock'),
  };
}

/**
 * Creates the folder if it is missing. Throws StartError if it cannot be created, read or written, or belongs to
 * another user.
 */
export function openDataFolder(data: string): DataFolder {
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    checkFolderOwner(data);
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw folderProblem(data, error);
  }
  return dataFolder(data);
}

/** Folders of contents, logs and artifacts. The folder of a local host is repaired by its agent. */
export const STORED = ['contents', 'logs'];

/** Removes the permissions of other users from everything in the folder, and logs what was changed. */
export function makeDataPrivate(data: string, log: Log): void {
  const { database, keyFile } = dataFolder(data);
  const repaired = makePrivate(data, STORED, [basename(database), basename(keyFile)]);
  if (repaired.length > 0) {
    log.warn({ path: data, repaired }, 'other users could read the data folder; their permissions were removed');
  }
}

/**
 * Locks the folder for this process.
 *
 * Throws StartError if another process has locked it (the message says which) or the folder is not writable.
 */
export function lockDataFolder(data: string, file: string): FolderLock {
  try {
    createPrivateFile(file);
    return takeFolderLock(file);
  } catch (error) {
    if (error instanceof FolderLockedError) {
      throw new StartError(`${data} is in use by ${describeOwner(error.owner)}`, { cause: error });
    }
    throw folderProblem(data, error);
  }
}

/**
 * Opens the database of the folder and applies pending migrations.
 *
 * @returns the database and the migrations that were applied
 * @throws StartError if the file cannot be used, is not a database, is of a version that this program cannot use, or has been
 * moved to PostgreSQL
 */
export async function openDatabase(
  data: string,
  options: Parameters<typeof openSqlite>[1] = {},
): Promise<{ store: Store; applied: string[] }> {
  const { database } = dataFolder(data);
  let store: Store;
  try {
    // SQLite creates its WAL with the mode of the database.
    createPrivateFile(database);
    store = openSqlite(database, options);
  } catch (error) {
    throw folderProblem(data, error);
  }
  try {
    const moved = await movedProblem(store, data);
    if (moved !== null) throw new StartError(moved);
    return { store, applied: await migrate(store, migrations, systemClock.now()) };
  } catch (error) {
    await store.close();
    if (error instanceof DatabaseVersionError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/** Opens the key file of the service. Throws StartError if it cannot be read or contains an invalid key. */
export function openServiceKeys(path: string, onRestored: () => void): KeyFile {
  try {
    return openKeyFile(path, { onRestored });
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function folderProblem(data: string, error: unknown): StartError {
  if (error instanceof ForeignFolderError) return new StartError(error.message, { cause: error });
  const { code = '', message } = error as NodeJS.ErrnoException;
  const meanings: Record<string, string> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOTDIR: 'it is not a folder',
    EEXIST: 'it is not a folder',
    ENOSPC: 'the disk is full',
    SQLITE_CANTOPEN: 'it cannot be written',
    SQLITE_NOTADB: 'cidermill.db in it is not a database',
    SQLITE_CORRUPT: 'cidermill.db in it is damaged; restore a backup',
    SQLITE_READONLY: 'it cannot be written',
    SQLITE_FULL: 'the disk is full',
  };
  return new StartError(`cannot use the data folder ${data}: ${meanings[code] ?? message}`, { cause: error });
}
