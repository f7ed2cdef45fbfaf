// File contents of one account on one host, by hash: `<cacheDir>/content/<first 2 digits>/<hash>`. Other Macs of the
// account use, fill and trim the cache concurrently, so a content may disappear at any time; callers then fetch it.
// Contents are verified when they are used, because a build may have changed the file and disks fail. They are copied
// (cloned where the file system supports it), never hard-linked, because builds write to their files.
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
import { unless } from '../../shared/errno.js';
import { hashFile } from '../system/hash-file.js';

// The time of last use has a resolution of one hour, so that a build does not update it for every file.
const USE_NOTED_MS = 3_600_000;

export type ContentCache = ReturnType<typeof createContentCache>;

export function createContentCache(cacheDir: string, clock: Clock) {
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
    if (now - found.mtimeMs > USE_NOTED_MS) unless(['ENOENT'], () => utimesSync(path, now / 1000, now / 1000));
    return fd;
  };

  return {
    /** Returns the content, or null when it is not in the cache. A damaged content is deleted. */
    bytes(sha256: string, size: number): Buffer | null {
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

    /** Returns the path of the content, to clone from, or null as above. */
    async file(sha256: string, size: number, signal: AbortSignal): Promise<string | null> {
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

    /** Stores a content whose hash has been verified. */
    put(sha256: string, content: Buffer) {
      makeFolder(sha256);
      // Not written atomically: a truncated file is detected when it is used.
      unless(['EEXIST'], () => {
        writeFileSync(place(sha256), content, { flag: 'wx', mode: 0o600 });
        added += content.length;
      });
    },

    /** Returns a new path to download a content to. */
    incoming: () => join(incomingDir, randomUUID()),
    /** Moves a verified download at `path` into the cache. */
    adopt(from: string, sha256: string, size: number) {
      makeFolder(sha256);
      renameSync(from, place(sha256));
      added += size;
    },
    /** Returns the number of bytes added so far. */
    added: () => added,
  };
}

/** Returns the folder of the contents in an account's cache. */
export function contentRoot(cacheDir: string): string {
  return join(cacheDir, 'content');
}

/** Folder of downloads in progress; its name is not the first two digits of any hash. */
export const INCOMING = 'incoming';
