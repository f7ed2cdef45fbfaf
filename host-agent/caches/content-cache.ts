// Contents by hash, of one account on one host: `<cacheDir>/content/<first 2 digits>/<hash>`. Another Mac of the
// same account may use, fill and trim it at the same moment, so a content that was there may be gone when it is
// wanted; callers then fetch it. Contents are checked when used: a build could have reached the file, a disk rots.
// They are copied (cloned where the file system can), never hard-linked: builds write into their files.
import { hash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../shared/clock.js';
import { unless } from '../system/errno.js';
import { hashFile } from '../system/hash-file.js';

// Last use is noted to the hour, so that a build does not write a time for each of its files.
const USE_NOTED_MS = 3_600_000;

export interface ContentCache {
  /** A content in memory, or null when the cache does not have it (or had it damaged, and dropped it). */
  bytes(sha256: string, size: number): Buffer | null;
  /** Path of a content to clone from, or null as above. */
  file(sha256: string, size: number, signal: AbortSignal): Promise<string | null>;
  /** Keeps a content whose hash has been checked. */
  put(sha256: string, content: Buffer): void;
  /** A path to receive a content at. */
  incoming(): string;
  /** Takes what was received at `path` into the cache, its hash having been checked. */
  adopt(path: string, sha256: string, size: number): void;
  /** Bytes taken in so far. */
  added(): number;
}

export function createContentCache(cacheDir: string, clock: Clock): ContentCache {
  const root = contentRoot(cacheDir);
  const incomingDir = join(root, INCOMING);
  mkdirSync(incomingDir, { recursive: true, mode: 0o700 });
  const folders = new Set<string>();
  let added = 0;

  const place = (sha256: string) => join(root, sha256.slice(0, 2), sha256);
  const makeFolder = (sha256: string) => {
    const folder = sha256.slice(0, 2);
    if (folders.has(folder)) return;
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 });
    folders.add(folder);
  };
  const drop = (sha256: string) => unless(['ENOENT'], () => unlinkSync(place(sha256)));
  const open = (sha256: string, size: number): number | null => {
    const path = place(sha256);
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const fd = unless(['ENOENT', 'ELOOP', 'EACCES'], () => openSync(path, flags));
    if (fd === undefined) {
      drop(sha256);
      return null;
    }
    const found = fstatSync(fd);
    if (!found.isFile() || found.size !== size) {
      closeSync(fd);
      drop(sha256);
      return null;
    }
    const now = clock.now();
    if (now - found.mtimeMs > USE_NOTED_MS)
      unless(['ENOENT'], () => utimesSync(path, now / 1000, now / 1000));
    return fd;
  };

  return {
    bytes(sha256, size) {
      const fd = open(sha256, size);
      if (fd === null) return null;
      try {
        const content = readFileSync(fd);
        if (hash('sha256', content, 'hex') === sha256) return content;
      } finally {
        closeSync(fd);
      }
      drop(sha256);
      return null;
    },

    async file(sha256, size, signal) {
      const fd = open(sha256, size);
      if (fd === null) return null;
      try {
        if ((await hashFile(fd, signal)) === sha256) return place(sha256);
      } finally {
        closeSync(fd);
      }
      drop(sha256);
      return null;
    },

    put(sha256, content) {
      makeFolder(sha256);
      // Written in place: one that is there already, or is cut short by a crash, is found out when it is used.
      unless(['EEXIST'], () => {
        writeFileSync(place(sha256), content, { flag: 'wx', mode: 0o600 });
        added += content.length;
      });
    },

    incoming: () => join(incomingDir, randomUUID()),
    adopt(from, sha256, size) {
      makeFolder(sha256);
      renameSync(from, place(sha256));
      added += size;
    },
    added: () => added,
  };
}

/** Where an account's contents lie below its cache. */
export function contentRoot(cacheDir: string): string {
  return join(cacheDir, 'content');
}

/** Holds what is being received; named so that it is no hash's first two digits. */
export const INCOMING = 'incoming';
