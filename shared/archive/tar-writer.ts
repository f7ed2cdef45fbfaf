// Writes tar entries: ustar, with a pax header for what ustar cannot represent.
import { BLOCK } from './tar-header.js';

export interface TarEntry {
  readonly type: 'file' | 'directory' | 'link';
  /** Relative; a directory without trailing slash. */
  readonly path: string;
  readonly mode: number;
  /** Size of a file; 0 for all others. */
  readonly size: number;
  /** Seconds since the epoch. */
  readonly mtime: number;
  /** Target of a link. */
  readonly target: string;
}

const FLAGS = { file: '0', link: '2', directory: '5' } as const;
const LONGEST_FIELD = 100;
/** Eleven octal digits. */
const LARGEST_SIZE = 8 * 1024 ** 3 - 1;
const ASCII = /^[\x20-\x7e]*$/;

/** Returns the blocks before an entry's content, which is followed by `tarPadding`. */
export function tarHeader(entry: TarEntry): Buffer {
  const path = entry.type === 'directory' ? `${entry.path}/` : entry.path;
  const records: Record<string, string> = {};
  if (!fits(path)) records.path = path;
  if (!fits(entry.target)) records.linkpath = entry.target;
  if (entry.size > LARGEST_SIZE) records.size = String(entry.size);
  const main = header({ ...entry, path, flag: FLAGS[entry.type] });
  return Object.keys(records).length === 0 ? main : Buffer.concat([paxHeader('x', records), main]);
}

/** Returns a global header with a comment, which readers ignore. */
export const tarComment = (comment: string): Buffer => paxHeader('g', { comment });

/** Returns the bytes that fill the last block of a content. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

export const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK);

const fits = (text: string) => text.length <= LONGEST_FIELD && ASCII.test(text);

function paxHeader(flag: 'x' | 'g', records: Readonly<Record<string, string>>): Buffer {
  const body = Buffer.from(
    Object.entries(records)
      .map(([key, value]) => paxRecord(key, value))
      .join(''),
  );
  const fields = { path: 'PaxHeader', mode: 0o644, size: body.length, mtime: 0, target: '', flag };
  return Buffer.concat([header(fields), body, tarPadding(body.length)]);
}

/** Returns `<length> <key>=<value>\n`, where the length includes itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + 1;
  while (String(length).length + bytes !== length) length = String(length).length + bytes;
  return `${length}${rest}`;
}

type Fields = Omit<TarEntry, 'type'> & { flag: string };

function header({ path, mode, size, mtime, target, flag }: Fields): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1');
  Buffer.from(path).copy(block, 0, 0, LONGEST_FIELD);
  octal(mode & 0o777, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size > LARGEST_SIZE ? 0 : size, 124, 11);
  octal(Math.max(0, Math.trunc(mtime)), 136, 11);
  block.write(flag, 156, 'latin1');
  Buffer.from(target).copy(block, 157, 0, LONGEST_FIELD);
  block.write('ustar\x0000', 257, 'latin1');
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
