// Strict streaming gzip decompression of exactly one member: Node's gunzip accepts several and ignores some trailing
// data.
import { crc32 } from 'node:zlib';
import { type ByteReader, createByteReader } from '../../../shared/archive/byte-reader.js';
import { DeflateError, unpackDeflate } from './deflate.js';
import { FormatError } from './format-error.js';

export interface GunzipBounds {
  /** Maximum size of the decompressed stream. */
  maxBytes: number;
  /** Maximum decompressed bytes per compressed byte, checked once more than `ratioFromBytes` are decompressed. */
  maxRatio: number;
  ratioFromBytes: number;
}

const LONGEST_HEADER_FIELD = 4096;
const TRAILER = 8;

/**
 * Decompresses one gzip member. Holds only one input and one output piece. Does not close the source.
 *
 * @throws FormatError `gzip` on anything that is not exactly one whole gzip member, `unpacked_too_large` when a bound is
 *   exceeded
 * @example
 * for await (const piece of gunzip(request.raw, bounds)) hash.update(piece);
 */
export async function* gunzip(
  source: AsyncIterable<Buffer>,
  bounds: GunzipBounds,
): AsyncGenerator<Buffer, void, undefined> {
  const reader = createByteReader(source);
  await skipHeader(reader);

  const { pieces, packed } = unpackDeflate(reader);
  let unpacked = 0;
  let checksum = 0;
  try {
    for await (const piece of pieces) {
      unpacked += piece.length;
      if (unpacked > bounds.maxBytes) {
        throw tooLarge(`decompresses to more than ${bounds.maxBytes} bytes`);
      }
      if (unpacked > bounds.ratioFromBytes && unpacked > packed() * bounds.maxRatio) {
        throw tooLarge(`decompresses to more than ${bounds.maxRatio} times its compressed size`);
      }
      checksum = crc32(piece, checksum);
      yield piece;
    }
  } catch (error) {
    throw error instanceof DeflateError ? invalid('its data is damaged or truncated') : error;
  }

  const trailer = await reader.take(TRAILER);
  if (trailer.length < TRAILER) throw invalid('it ends before its checksum');
  if (trailer.readUInt32LE(0) !== checksum) throw invalid('its checksum does not match');
  if (trailer.readUInt32LE(4) !== unpacked % 2 ** 32) throw invalid('its length does not match');
  if (!(await reader.ended())) throw invalid('there is data after its end');
}

/** Reads a member's header, RFC 1952 section 2.3. */
async function skipHeader(reader: ByteReader): Promise<void> {
  const fixed = await reader.take(10);
  const flags = fixed[3] ?? 0;
  if (fixed.length < 10 || fixed.readUInt16BE(0) !== 0x1f8b || fixed[2] !== 8 || (flags & 0xe0) !== 0) {
    throw invalid('it has no gzip header');
  }
  const text = async () => {
    if (!(await reader.until(0, LONGEST_HEADER_FIELD))) throw invalid('a text in its header is not terminated');
  };
  const skip = async (length: number) => {
    if ((await reader.skip(length)) < length) throw invalid('it ends inside its header');
  };
  if (flags & 4) {
    const length = await reader.take(2);
    if (length.length < 2) throw invalid('it ends inside its header');
    await skip(length.readUInt16LE(0));
  }
  if (flags & 8) await text();
  if (flags & 16) await text();
  if (flags & 2) await skip(2);
}

function invalid(why: string): FormatError {
  return new FormatError('gzip', `The body is not one complete gzip file: ${why}.`);
}

function tooLarge(why: string): FormatError {
  return new FormatError('unpacked_too_large', `The body ${why}.`);
}
