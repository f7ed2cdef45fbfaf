// Free disk space. Uploads and artifacts must leave a reserve, logs half of it, and requests a quarter. The rest is for
// the database only.
import { statfs } from 'node:fs/promises';
import type { Clock } from '../../../shared/clock.js';
import { BlobError } from './blob-error.js';
import { storageError } from './file-system.js';

export type DiskRoom = ReturnType<typeof createDiskRoom>;

/** The fraction of the reserve that each must leave free. */
const USES = { logs: 1 / 2, requests: 3 / 4 } as const;

/** Minimum interval between two queries of the free space, ms. */
const ASK_EVERY_MS = 250;

/**
 * @param folder any folder on the disk
 * @param options.freeBytes returns the free bytes of the disk; for tests
 */
export function createDiskRoom(
  folder: string,
  options: { reserveBytes: number; clock: Clock; freeBytes?: () => Promise<number> },
) {
  const { reserveBytes, clock, freeBytes = () => freeOn(folder) } = options;
  let known: { at: number; free: Promise<number> } | null = null;
  const left = async () => {
    const now = clock.monotonic();
    if (known === null || now - known.at >= ASK_EVERY_MS) {
      known = { at: now, free: freeBytes() };
    }
    return (await known.free) - reserveBytes;
  };
  return {
    reserveBytes,
    /** Returns the bytes available for contents; negative if the reserve is in use. */
    left,
    /** Returns whether there is room for output of builds, or for requests that add rows. */
    admits: async (what: keyof typeof USES): Promise<boolean> => (await left()) > -reserveBytes * USES[what],
    /** Throws BlobError `no_space` unless this many more bytes fit without using the reserve. */
    async check(bytes: number): Promise<void> {
      const room = await left().catch((error: unknown) => {
        throw storageError(error);
      });
      if (room >= bytes && room > 0) return;
      throw new BlobError(
        'no_space',
        'The disk of the service is full; nothing of this has been stored. Try again later.',
      );
    },
  };
}

/** Returns the free bytes available to this user. */
async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
