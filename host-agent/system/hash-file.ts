import { createHash, type Hash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { unless } from '../../shared/errno.js';
import { takeTurns } from './turns.js';

const PIECE = 256 * 1024;
const SHA1_BYTES = 20;

/** Returns the SHA-256 (hex) of an open file. */
export async function hashFile(fd: number, signal: AbortSignal): Promise<string> {
  const piece = Buffer.allocUnsafe(PIECE);
  const length = readSync(fd, piece, 0, PIECE, 0);
  // Three times as fast for small files, which most are.
  if (length < PIECE) return hash('sha256', piece.subarray(0, length), 'hex');
  return (await digest(fd, createHash('sha256'), Number.POSITIVE_INFINITY, signal)).toString('hex');
}

/** Returns whether a pack, or a pack's index, ends with the SHA-1 of its content, as git writes them. */
export async function isCompletePack(path: string, signal: AbortSignal): Promise<boolean> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const end = fstatSync(fd).size - SHA1_BYTES;
    const written = Buffer.alloc(SHA1_BYTES);
    if (end < 0 || readSync(fd, written, 0, SHA1_BYTES, end) < SHA1_BYTES) return false;
    return written.equals(await digest(fd, createHash('sha1'), end, signal));
  } finally {
    closeSync(fd);
  }
}

/** Returns the digest of the first `end` bytes of an open file. */
async function digest(fd: number, sum: Hash, end: number, signal: AbortSignal): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(PIECE);
  const turn = takeTurns(signal, 16);
  for (let at = 0; at < end; ) {
    const length = readSync(fd, piece, 0, Math.min(PIECE, end - at), at);
    if (length === 0) break;
    sum.update(piece.subarray(0, length));
    at += length;
    await turn();
  }
  return sum.digest();
}

/**
 * Returns whether `path` is a regular file with this content. Never follows a link, never blocks on a pipe; an
 * unreadable file has other content.
 */
export async function hasContent(
  path: string,
  content: { sha256: string; size: number },
  signal: AbortSignal,
): Promise<boolean> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = unless(['ENOENT', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO'], () => openSync(path, flags));
  if (fd === undefined) return false;
  try {
    const found = fstatSync(fd);
    if (!found.isFile() || found.size !== content.size) return false;
    return (await hashFile(fd, signal)) === content.sha256;
  } finally {
    closeSync(fd);
  }
}
