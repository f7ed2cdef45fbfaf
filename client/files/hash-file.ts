import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isErrno } from '../../shared/errno.js';

const READ_BYTES = 1024 * 1024;

export interface HashedFile {
  sha256: string;
  /** Bytes that were hashed. */
  size: number;
  /** The content, when it was asked for. */
  content: Buffer | null;
}

let scratch: Buffer | null = null;

/** One buffer for all files: they are read one after another. */
function sharedBuffer(): Buffer {
  scratch ??= Buffer.allocUnsafeSlow(READ_BYTES);
  return scratch;
}

/**
 * Hashes a regular file, at most 1 MiB in memory at a time.
 *
 * @param keepUpTo the content is returned too when it is at most this many bytes
 * @returns null when there is no such regular file, or no longer
 */
export function hashFile(path: string, keepUpTo = 0): HashedFile | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return null;
    const keep = stat.size <= keepUpTo;
    // One byte more than expected shows that a file is growing.
    const buffer = keep ? Buffer.allocUnsafeSlow(stat.size + 1) : sharedBuffer();
    const hash = createHash('sha256');
    let size = 0;
    for (;;) {
      const got = readSync(fd, buffer, 0, buffer.length, null);
      if (got === 0) break;
      hash.update(buffer.subarray(0, got));
      size += got;
      if (got < buffer.length && size >= stat.size) break;
    }
    const content = keep && size === stat.size ? buffer.subarray(0, size) : null;
    return { sha256: hash.digest('hex'), size, content };
  } finally {
    closeSync(fd);
  }
}
