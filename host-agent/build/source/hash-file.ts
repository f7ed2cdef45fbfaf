import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { unless } from './errno.js';
import { takeTurns } from './turns.js';

const PIECE = 256 * 1024;

/** SHA-256 (hex) of an open file from its start. */
export async function hashFile(fd: number, signal: AbortSignal): Promise<string> {
  const piece = Buffer.allocUnsafe(PIECE);
  let length = readSync(fd, piece, 0, PIECE, 0);
  if (length < PIECE) return hash('sha256', piece.subarray(0, length), 'hex');
  const sum = createHash('sha256');
  const turn = takeTurns(signal, 16);
  for (let at = 0; length > 0; length = readSync(fd, piece, 0, PIECE, at)) {
    sum.update(piece.subarray(0, length));
    at += length;
    await turn();
  }
  return sum.digest('hex');
}

/**
 * True when `path` is a regular file with this content. Never follows a link, never waits for a pipe's writer; a
 * file that may not be read has another content.
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
