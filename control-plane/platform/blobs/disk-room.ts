// Room on the disk for contents. A reserve stays free of them, for the database and the logs of builds.
import { statfs } from 'node:fs/promises';
import type { Clock } from '../../../shared/clock.js';
import { BlobError } from './blob-error.js';
import { storageError } from './file-system.js';

export interface DiskRoom {
  /** Throws BlobError `no_space` unless so many bytes more fit beside the reserve. */
  check(bytes: number): Promise<void>;
  /** Bytes that contents may still take; negative when the reserve is in use. */
  left(): Promise<number>;
  readonly reserveBytes: number;
}

/** The disk is asked at most this often, ms. */
const ASK_EVERY_MS = 250;

/**
 * @param folder on the disk that is meant
 * @param options.freeBytes what the disk says; given by tests
 */
export function createDiskRoom(
  folder: string,
  options: { reserveBytes: number; clock: Clock; freeBytes?: () => Promise<number> },
): DiskRoom {
  const { reserveBytes, clock, freeBytes = () => freeOn(folder) } = options;
  let known: { at: number; free: Promise<number> } | null = null;
  const left = async () => {
    const now = clock.now();
    if (known === null || now < known.at || now - known.at >= ASK_EVERY_MS) {
      known = { at: now, free: freeBytes() };
    }
    return (await known.free) - reserveBytes;
  };
  return {
    reserveBytes,
    left,
    async check(bytes) {
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

/** What this user may write. */
async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
