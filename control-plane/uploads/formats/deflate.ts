// Decompresses a deflate stream (RFC 1951) piece by piece.
import { createInflateRaw, type InflateRaw } from 'node:zlib';
import type { ByteReader } from '../../../shared/archive/byte-reader.js';

/** The stream is damaged or truncated. */
export class DeflateError extends Error {}

export interface Unpacking {
  /** Can be read once; bytes after the end of the stream stay in the reader. */
  readonly pieces: AsyncGenerator<Buffer, void, undefined>;
  /** Compressed bytes read so far. */
  packed(): number;
}

const OUTPUT_PIECE = 128 * 1024;

/** Holds one piece of input and one of output. */
export function unpackDeflate(reader: ByteReader): Unpacking {
  const inflate = createInflateRaw({ chunkSize: OUTPUT_PIECE });
  return { pieces: inflated(reader, inflate), packed: () => inflate.bytesWritten };
}

async function* inflated(reader: ByteReader, inflate: InflateRaw): AsyncGenerator<Buffer, void, undefined> {
  const feeding = feed(reader, inflate);
  try {
    yield* inflate as AsyncIterable<Buffer>;
    await feeding;
  } catch (error) {
    throw isZlibError(error) ? new DeflateError('', { cause: error }) : error;
  } finally {
    inflate.destroy();
  }
}

/**
 * Feeds the inflater one chunk at a time until the deflate stream ends, and puts back the bytes after its end. An
 * error of the source destroys the inflater.
 */
async function feed(reader: ByteReader, inflate: InflateRaw): Promise<void> {
  const closed = new Promise<void>((resolve) => inflate.once('close', resolve));
  try {
    for (let chunk = await reader.some(); !inflate.destroyed; chunk = await reader.some()) {
      if (!chunk) {
        inflate.end();
        return;
      }
      const before = inflate.bytesWritten;
      const written = new Promise<void>((resolve) => inflate.write(chunk, () => resolve()));
      await Promise.race([written, closed]);
      const used = inflate.bytesWritten - before;
      if (used < chunk.length) return reader.unread(chunk.subarray(used));
    }
  } catch (error) {
    inflate.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR_ZLIB)/.test(String(error.code));
}
