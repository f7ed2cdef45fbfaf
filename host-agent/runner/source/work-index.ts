// The index of a checkout: what the service wrote into a work folder, and the stats of each file right after. The
// next build is compared with it. Binary, because JSON takes three times as long for 10,000 files.
import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeDurably } from '../../../shared/durable-file.js';
import { unless } from '../../../shared/errno.js';
import type { SourceManifest } from '../../../shared/protocol/index.js';

const MAGIC = Buffer.from('CMWORK1\n');
// Magic, CRC-32 of the rest, number of files, lengths of the five texts; then stamps and texts.
const CRC_AT = MAGIC.length;
const COUNT_AT = CRC_AT + 4;
const LENGTHS_AT = COUNT_AT + 4;
const HEAD = LENGTHS_AT + 5 * 4;
const SHA_DIGITS = 64;
const STAMP_FIELDS = 5;

/** Columns over the files, in the manifest's order. */
export interface WorkIndex {
  manifestSha256: string | null;
  paths: string[];
  /** Hex digests, joined. */
  sha256: string;
  stamps: Float64Array;
  links: SourceManifest['links'];
  directories: string[];
  /** When this index was written, by the clock of the file system. */
  writtenMs: number;
}

export function emptyWorkIndex(): WorkIndex {
  return {
    manifestSha256: null,
    paths: [],
    sha256: '',
    stamps: new Float64Array(0),
    links: [],
    directories: [],
    writtenMs: 0,
  };
}

/** Allocates the stamps of `files` files. */
export function createStamps(files: number): Float64Array {
  return new Float64Array(files * STAMP_FIELDS);
}

export function setStamp(stamps: Float64Array, row: number, file: Stats): void {
  const at = row * STAMP_FIELDS;
  stamps[at] = file.size;
  stamps[at + 1] = file.mode;
  stamps[at + 2] = file.mtimeMs;
  stamps[at + 3] = file.ctimeMs;
  stamps[at + 4] = file.ino;
}

/** Copies the stamp of an unchanged file to the next index. */
export function copyStamp(from: WorkIndex, old: number, stamps: Float64Array, row: number): void {
  for (let field = 0; field < STAMP_FIELDS; field += 1) {
    stamps[row * STAMP_FIELDS + field] = from.stamps[old * STAMP_FIELDS + field]!;
  }
}

export const PERMISSIONS = 0o7777;

export function sizeOf(index: WorkIndex, row: number): number | undefined {
  return index.stamps[row * STAMP_FIELDS];
}

export function permissionsOf(index: WorkIndex, row: number): number {
  return (index.stamps[row * STAMP_FIELDS + 1] ?? 0) & PERMISSIONS;
}

/** Returns whether the file is unchanged since its stamp was taken. */
export function hasStamp(stamps: Float64Array, row: number, file: Stats): boolean {
  const at = row * STAMP_FIELDS;
  return (
    stamps[at + 2] === file.mtimeMs &&
    stamps[at + 3] === file.ctimeMs &&
    stamps[at] === file.size &&
    stamps[at + 1] === file.mode &&
    stamps[at + 4] === file.ino
  );
}

// The clock of a file system ticks at least every 10 ms, or every 1 to 2 s where times are whole seconds.
const TICK_MS = 20;
const WHOLE_SECONDS_TICK_MS = 2000;

/**
 * Returns whether the file was written in the same tick as the index: a build that wrote to it right after may have
 * left the same stamp.
 */
export function isRacy(index: WorkIndex, file: Stats): boolean {
  const tick = file.ctimeMs % 1000 === 0 ? WHOLE_SECONDS_TICK_MS : TICK_MS;
  return file.ctimeMs >= index.writtenMs - tick;
}

export function hasSha256(index: WorkIndex, row: number, sha256: string): boolean {
  return index.sha256.startsWith(sha256, row * SHA_DIGITS);
}

/** Returns the manifest of the last checkout, from its index. */
export function manifestOf(index: WorkIndex): SourceManifest {
  const files = index.paths.map((path, row) => ({
    path,
    sha256: index.sha256.slice(row * SHA_DIGITS, (row + 1) * SHA_DIGITS),
    size: sizeOf(index, row) ?? 0,
    mode: (permissionsOf(index, row) & 0o100) === 0 ? (0o644 as const) : (0o755 as const),
  }));
  return { files, links: index.links, directories: index.directories };
}

/** Returns null for a missing or damaged file: then nothing is known about the work folder. */
export function readWorkIndex(path: string): WorkIndex | null {
  const fd = unless(['ENOENT'], () => openSync(path, 'r'));
  if (fd === undefined) return null;
  try {
    return decode(readFileSync(fd), fstatSync(fd).mtimeMs);
  } finally {
    closeSync(fd);
  }
}

export function writeWorkIndex(path: string, index: Omit<WorkIndex, 'writtenMs'>): void {
  const { stamps } = index;
  const texts = [
    index.manifestSha256 ?? '',
    index.sha256,
    join(index.paths),
    join(index.links.flatMap((link) => [link.path, link.target])),
    join(index.directories),
  ].map((text) => Buffer.from(text));
  const head = Buffer.alloc(HEAD);
  MAGIC.copy(head);
  head.writeUInt32LE(index.paths.length, COUNT_AT);
  for (const [n, text] of texts.entries()) head.writeUInt32LE(text.length, LENGTHS_AT + n * 4);
  const columns = Buffer.from(stamps.buffer, stamps.byteOffset, stamps.byteLength);
  const file = Buffer.concat([head, columns, ...texts]);
  file.writeUInt32LE(crc32(file.subarray(COUNT_AT)), CRC_AT);
  writeDurably(path, file, { durable: false });
}

function decode(file: Buffer, writtenMs: number): WorkIndex | null {
  if (file.length < HEAD || !file.subarray(0, CRC_AT).equals(MAGIC)) return null;
  if (crc32(file.subarray(COUNT_AT)) !== file.readUInt32LE(CRC_AT)) return null;
  const stamps = createStamps(file.readUInt32LE(COUNT_AT));
  let at = HEAD + stamps.byteLength;
  Buffer.from(stamps.buffer).set(file.subarray(HEAD, at));
  const text = (n: number): string => {
    const start = at;
    at += file.readUInt32LE(LENGTHS_AT + n * 4);
    return file.toString('utf8', start, at);
  };
  // Object literals are evaluated in source order.
  return {
    manifestSha256: text(0) || null,
    sha256: text(1),
    paths: split(text(2)),
    links: pairs(split(text(3))),
    directories: split(text(4)),
    stamps,
    writtenMs,
  };
}

/** No path contains a NUL, and none is empty. */
function join(paths: readonly string[]): string {
  return paths.join('\0');
}

function split(text: string): string[] {
  return text === '' ? [] : text.split('\0');
}

function pairs(texts: readonly string[]): WorkIndex['links'] {
  const links: WorkIndex['links'] = [];
  for (let at = 0; at + 1 < texts.length; at += 2) links.push({ path: texts[at] ?? '', target: texts[at + 1] ?? '' });
  return links;
}
