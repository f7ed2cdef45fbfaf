// Puts SQLite's write-ahead log on the disk, in a thread of its own, so that nothing else waits for the disk.
import { closeSync, fdatasync, openSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import { StoreFailedError } from './sql.js';

/** Syncs follow one another: one is called when the last has ended. */

export interface WalSyncOptions {
  /** Called once, when a sync has failed. */
  readonly onFailure?: (error: StoreFailedError) => void;
  /** fdatasync(2); given by tests that need a slow or a broken disk. */
  readonly dataSync?: (fd: number) => Promise<void>;
}

/**
 * The log is opened beside SQLite, whose locks are on the database and on the shared memory, never on the log: so that
 * closing this descriptor gives none of them up.
 *
 * @param file the database, in WAL mode, on which this process has a connection
 */
export function openWalSync(file: string, { onFailure, dataSync = promisify(fdatasync) }: WalSyncOptions = {}) {
  let fd: number | null = null;
  // After a failed sync nobody knows what is on disk, and a second one may wrongly report success.
  let failed: StoreFailedError | null = null;
  let syncing: Promise<void> | null = null;

  const syncLog = async () => {
    try {
      // Opened for writing although nothing is written: some systems do not sync a read-only descriptor.
      fd ??= openSync(`${realpathSync(file)}-wal`, 'r+');
      await dataSync(fd);
    } catch (error) {
      failed = new StoreFailedError({ cause: error });
      onFailure?.(failed);
      throw failed;
    } finally {
      syncing = null;
    }
  };

  return {
    /** Resolves when every commit made before the call survives a power loss; throws StoreFailedError. */
    sync(): Promise<void> {
      syncing = syncLog();
      return syncing;
    },
    /** Resolves when no sync is under way; throws StoreFailedError if one has failed. */
    async durable(): Promise<void> {
      if (failed !== null) throw failed;
      await syncing;
    },
    failure: (): StoreFailedError | null => failed,
    close(): void {
      if (fd !== null) closeSync(fd);
      fd = null;
    },
  };
}
