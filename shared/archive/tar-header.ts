// Parses one 512-byte tar header, and the two kinds of records that extend it (POSIX pax, GNU long names).
import { isUtf8 } from 'node:buffer';

export const BLOCK = 512;

const NOTHING = Buffer.alloc(0);
const SLASH = Buffer.from('/');

export interface TarHeader {
  /** The type flag; NUL, which old writers use for a file, is '0'. */
  type: string;
  /** Bytes, because a preceding record may replace a name that was truncated inside a character. */
  name: Buffer;
  target: Buffer;
  size: number;
  mode: number;
}

/** The archive is malformed; the message is part of a sentence. */
export class TarFormatError extends Error {}

export function isZeroBlock(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}

/** @throws TarFormatError on a wrong checksum or a malformed number */
export function parseHeader(block: Buffer): TarHeader {
  if (number(block, 148, 8) !== checksum(block)) throw new TarFormatError('a header checksum does not match');
  const name = field(block, 0, 100);
  // "ustar\0" has a name prefix here; GNU's "ustar " has other fields, older formats have none.
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? field(block, 345, 155) : NOTHING;
  return {
    type: block[156] === 0 ? '0' : block.toString('latin1', 156, 157),
    name: prefix.length === 0 ? name : Buffer.concat([prefix, SLASH, name]),
    target: field(block, 157, 100),
    size: number(block, 124, 12),
    mode: number(block, 100, 8),
  };
}

/**
 * Parses the records of a pax header: `<length> <key>=<value>\n`, with the decimal length of the whole record. Values
 * are bytes: those of extended attributes may not be text.
 *
 * @throws TarFormatError when they are malformed
 */
export function parsePax(bytes: Buffer): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const digits = space < 0 ? '' : bytes.toString('latin1', at, space);
    const end = /^[1-9][0-9]{0,9}$/.test(digits) ? at + Number(digits) : 0;
    const equals = bytes.indexOf(0x3d, space);
    if (end <= space || end > bytes.length || bytes[end - 1] !== 0x0a || equals < 0 || equals >= end) {
      throw new TarFormatError('an extended header is malformed');
    }
    records.set(bytes.toString('latin1', space + 1, equals), bytes.subarray(equals + 1, end - 1));
    at = end;
  }
  return records;
}

/** Parses the content of a GNU long name entry: the name, terminated by NUL. */
export function parseLongName(bytes: Buffer): string {
  return nameText(field(bytes, 0, bytes.length));
}

/** @throws TarFormatError when the name is not UTF-8 */
export function nameText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new TarFormatError('a name is not UTF-8');
  return bytes.toString('utf8');
}

export function paxSize(value: Buffer | undefined): number | undefined {
  if (value && !/^(0|[1-9][0-9]{0,15})$/.test(value.toString('latin1')))
    throw new TarFormatError('an extended header has a bad size');
  return value && Number(value.toString('latin1'));
}

/** Returns the bytes of a field up to its first NUL. */
function field(block: Buffer, start: number, length: number): Buffer {
  const bytes = block.subarray(start, start + length);
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

/** Parses octal digits between spaces, or (GNU, for large values) base 256 after a first byte of 0x80. */
function number(block: Buffer, start: number, length: number): number {
  const bytes = block.subarray(start, start + length);
  if (((bytes[0] ?? 0) & 0x80) !== 0) {
    // More than 48 bits, or negative: no size that is stored here.
    const high = bytes.subarray(1, length - 6);
    if (bytes[0] !== 0x80 || !isZeroBlock(high)) throw new TarFormatError('a header number is out of range');
    return bytes.readUIntBE(length - 6, 6);
  }
  const digits = /^[ ]*([0-7]*)[ \0]*$/.exec(bytes.toString('latin1'))?.[1];
  if (digits === undefined) throw new TarFormatError('a header number is malformed');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** Returns the sum of all bytes, counting those of the checksum as spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += block[i] ?? 0;
  return sum;
}
