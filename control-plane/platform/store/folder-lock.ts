// One process per data folder. The lock is the operating system's, on a file of its own, so that it ends with its
// owner, however the owner ends, and holds between containers whose process ids say nothing about each other.
import { readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import Database from 'better-sqlite3';
import { writeDurably } from '../../../shared/durable-file.js';

/** Who holds a lock, for the message to a process that does not get it. */
export interface LockOwner {
  readonly pid: number;
  readonly hostname: string;
  /** Null until the service listens. */
  readonly address: string | null;
  /** It was started by a supervisor, and ends when that has ended. */
  readonly supervised: boolean;
}

export interface FolderLock {
  /** Stores this process's address for the message of a refused second one. */
  announce(address: string): void;
  release(): void;
}

/** Another process holds the lock; `owner` is null when it has not written who it is. */
export class FolderLockedError extends Error {
  readonly owner: LockOwner | null;
  constructor(owner: LockOwner | null) {
    super(`locked by ${describeOwner(owner)}`);
    this.name = 'FolderLockedError';
    this.owner = owner;
  }
}

/** For example `process 4711 at http://127.0.0.1:8460`. */
export function describeOwner(owner: LockOwner | null): string {
  if (owner === null) return 'another process';
  const machine = owner.hostname === hostname() ? '' : ` on ${owner.hostname}`;
  const address = owner.address === null ? '' : ` at ${owner.address}`;
  return `process ${owner.pid}${machine}${address}`;
}

/**
 * Takes the lock without waiting. Throws FolderLockedError when another process, or another caller in this one, has it.
 *
 * @param file made when it is missing; it stays empty. The owner of the lock is stored in `<file>.json` beside it:
 * reading the locked file itself would end the lock of this process when it is closed (POSIX locks).
 */
export function takeFolderLock(file: string): FolderLock {
  const ownerFile = `${file}.json`;
  // SQLite takes the lock: Node itself has no call for that.
  const connection = new Database(file, { timeout: 0 });
  try {
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error;
    throw new FolderLockedError(readOwner(ownerFile));
  }
  const write = (address: string | null) => {
    const owner: LockOwner = { pid: process.pid, hostname: hostname(), address, supervised: process.connected };
    writeDurably(ownerFile, `${JSON.stringify(owner)}\n`, { durable: false });
  };
  const release = () => {
    if (!connection.open) return;
    rmSync(ownerFile, { force: true });
    connection.close();
  };
  try {
    write(null);
  } catch (error) {
    connection.close();
    throw error;
  }
  return { announce: write, release };
}

/** Returns the address of the service that holds the lock, or null if none does or it does not listen yet. */
export const lockedAddress = (file: string): string | null => readOwner(`${file}.json`)?.address ?? null;

/** Null when the file is missing, or is not what `takeFolderLock` writes. */
function readOwner(file: string): LockOwner | null {
  try {
    const content: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
    const { pid, hostname: machine, address, supervised } = content;
    if (typeof pid !== 'number' || typeof machine !== 'string') return null;
    return {
      pid,
      hostname: machine,
      address: typeof address === 'string' ? address : null,
      supervised: supervised === true,
    };
  } catch {
    // It only makes the message more exact.
    return null;
  }
}
