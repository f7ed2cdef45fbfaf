// A deflate stream (RFC 1951), unpacked piece by piece. Blocks that are stored as they are, as from a client that does
// not compress, are passed through without a copy; from the first other block on it is zlib's.
import { createInflateRaw, type InflateRaw } from 'node:zlib';
import type { ByteReader } from '../../../shared/archive/byte-reader.js';

/** The stream is damaged or cut off. */
export class DeflateError extends Error {}

export interface Unpacking {
  /** To be read once; what lies behind the end of the stream is left to the reader. */
  readonly pieces: AsyncGenerator<Buffer, void, undefined>;
  /** Bytes of the packed stream so far. */
  packed(): number;
}

const OUTPUT_PIECE = 128 * 1024;
/** How far back a block may refer. */
const WINDOW = 32 * 1024;

const STORED_HEADER = 5;
const LAST_BLOCK = 1;
const BLOCK_TYPE = 6;
/** Many small ones would cost more here than in zlib. */
const WORTH_PASSING = 1024;

/** Nothing is held but one input and one output piece, and what later blocks may refer to. */
export function unpackDeflate(reader: ByteReader): Unpacking {
  let passed = 0;
  let inflate: InflateRaw | null = null;

  async function* pieces(): AsyncGenerator<Buffer, void, undefined> {
    const window: Buffer[] = [];
    let inWindow = 0;
    for (;;) {
      const head = await reader.take(STORED_HEADER);
      if (!isStored(head)) {
        reader.unread(head);
        break;
      }
      passed += head.length;
      const body = reader.body(head.readUInt16LE(1));
      for await (const piece of body.chunks) {
        passed += piece.length;
        window.push(piece);
        inWindow += piece.length;
        while (inWindow - (window[0]?.length ?? 0) >= WINDOW) inWindow -= window.shift()?.length ?? 0;
        yield piece;
      }
      if (body.left() > 0) throw new DeflateError();
      if (isLast(head)) return;
    }
    inflate = createInflateRaw({ chunkSize: OUTPUT_PIECE, ...dictionary(window) });
    yield* inflated(reader, inflate);
  }

  return { pieces: pieces(), packed: () => passed + (inflate?.bytesWritten ?? 0) };
}

const isLast = (head: Buffer) => ((head[0] ?? 0) & LAST_BLOCK) !== 0;

/** Says no to what is damaged too: zlib knows what is wrong with it. */
function isStored(head: Buffer): boolean {
  if (head.length < STORED_HEADER || ((head[0] ?? 0) & BLOCK_TYPE) !== 0) return false;
  const length = head.readUInt16LE(1);
  return (length ^ 0xffff) === head.readUInt16LE(3) && (length >= WORTH_PASSING || isLast(head));
}

function dictionary(window: readonly Buffer[]): { dictionary?: Buffer } {
  return window.length === 0 ? {} : { dictionary: Buffer.concat(window).subarray(-WINDOW) };
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
 * Gives the inflater its input one chunk at a time until the deflate stream ends, and puts back what lies
 * behind that end. An error of the source destroys the inflater with it.
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
