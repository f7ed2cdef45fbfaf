// Reading and writing bytes of an open file at an offset.
import type { FileHandle } from 'node:fs/promises';

/** Bytes that are read at once. */
export const PIECE = 64 * 1024;

/** Reads at an offset; returns fewer bytes than requested only at the end of the file. */
export async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

export async function writeAt(file: FileHandle, offset: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at, bytes.length - at, offset + at)).bytesWritten;
  }
}

/** Yields the bytes between two offsets in chunks. */
export async function* piecesOf(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = from; at < to; at += PIECE) yield await readAt(file, at, Math.min(PIECE, to - at));
}
