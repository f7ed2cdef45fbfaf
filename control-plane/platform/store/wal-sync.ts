// Puts SQLite's write-ahead log on the disk, in a thread of its own, so that nothing else waits for the disk.
import { closeSync, fdatasync, openSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';

export interface WalSync {
  /** Resolves when every commit made before the call survives a power loss. */
  sync(): Promise<void>;
  close(): void;
}

/**
 * The log is opened beside SQLite, whose locks are on the database and on the shared memory, never on the log: so that
 * closing this descriptor gives none of them up.
 *
 * @param file the database, in WAL mode, on which this process has a connection
 */
export function openWalSync(
  file: string,
  dataSync: (fd: number) => Promise<void> = promisify(fdatasync),
): WalSync {
  let fd: number | null = null;
  return {
    async sync() {
      // To be written, which is not done: some systems sync no descriptor that is for reading only.
      fd ??= openSync(`${realpathSync(file)}-wal`, 'r+');
      await dataSync(fd);
    },
    close() {
      if (fd !== null) closeSync(fd);
      fd = null;
    },
  };
}
