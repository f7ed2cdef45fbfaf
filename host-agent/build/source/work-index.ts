// What the service laid into a work folder, and how each file looked right after: the base that the next build's
// sources are compared with. One binary file, because JSON takes three times as long for 10,000 files.
import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { type SourceManifest, sha256Hex } from '../../../shared/protocol/index.js';
import { unless } from './errno.js';
import { writeAtomic } from './write-atomic.js';

const MAGIC = Buffer.from('CMWORK1\n');
const PREFIX = MAGIC.length + 8;
const SHA_DIGITS = 64;
const STAMP_FIELDS = 5;
const STAMP_BYTES = STAMP_FIELDS * 8;

/** Columns over the files, in the manifest's order. */
export interface WorkIndex {
  manifestSha256: string | null;
  paths: string[];
  /** Hex digests, joined. */
  sha256: string;
  stamps: Float64Array;
  links: SourceManifest['links'];
  directories: string[];
  /** When this index was written, by the file system's own clock. */
  writtenMs: number;
}

const header = z.object({
  manifest_sha256: sha256Hex.nullable(),
  files: z.int().min(0),
  links: z.array(z.object({ path: z.string(), target: z.string() })),
  directories: z.array(z.string()),
});

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

/** Room for the stamps of `files` files. */
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

/** True when the file has not been touched since its stamp was taken. */
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

// A file system's clock ticks every 10 ms at worst, or every 1 to 2 s where times are whole seconds.
const TICK_MS = 20;
const WHOLE_SECONDS_TICK_MS = 2000;

/**
 * True when the file was laid in the same tick of the file system's clock in which the index was written: a build
 * that wrote to it at once may have left it with the same stamp.
 */
export function isRacy(index: WorkIndex, file: Stats): boolean {
  const tick = file.ctimeMs % 1000 === 0 ? WHOLE_SECONDS_TICK_MS : TICK_MS;
  return file.ctimeMs >= index.writtenMs - tick;
}

export function hasSha256(index: WorkIndex, row: number, sha256: string): boolean {
  return index.sha256.startsWith(sha256, row * SHA_DIGITS);
}

/** The manifest that was laid last, put together from its index. */
export function manifestOf(index: WorkIndex): SourceManifest {
  const files = index.paths.map((path, row) => ({
    path,
    sha256: index.sha256.slice(row * SHA_DIGITS, (row + 1) * SHA_DIGITS),
    size: index.stamps[row * STAMP_FIELDS] ?? 0,
    mode: ((index.stamps[row * STAMP_FIELDS + 1] ?? 0) & 0o100) === 0 ? (0o644 as const) : (0o755 as const),
  }));
  return { files, links: index.links, directories: index.directories };
}

/** Null when the file is missing or damaged: then nothing is known of the work folder. */
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
  const head = Buffer.from(
    JSON.stringify({
      manifest_sha256: index.manifestSha256,
      files: index.paths.length,
      links: index.links,
      directories: index.directories,
    }),
  );
  const { stamps } = index;
  const body = Buffer.concat([
    head,
    Buffer.from(stamps.buffer, stamps.byteOffset, stamps.byteLength),
    Buffer.from(index.sha256, 'latin1'),
    Buffer.from(index.paths.join('\0')),
  ]);
  const prefix = Buffer.alloc(PREFIX);
  MAGIC.copy(prefix);
  prefix.writeUInt32LE(crc32(body), MAGIC.length);
  prefix.writeUInt32LE(head.length, MAGIC.length + 4);
  writeAtomic(path, Buffer.concat([prefix, body]), { durable: false });
}

function decode(file: Buffer, writtenMs: number): WorkIndex | null {
  if (file.length < PREFIX || !file.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  const body = file.subarray(PREFIX);
  if (crc32(body) !== file.readUInt32LE(MAGIC.length)) return null;
  const headLength = file.readUInt32LE(MAGIC.length + 4);
  const head = header.parse(JSON.parse(body.toString('utf8', 0, headLength)));
  const stamps = createStamps(head.files);
  const shaAt = headLength + head.files * STAMP_BYTES;
  const pathsAt = shaAt + head.files * SHA_DIGITS;
  Buffer.from(stamps.buffer).set(body.subarray(headLength, shaAt));
  return {
    manifestSha256: head.manifest_sha256,
    paths: head.files === 0 ? [] : body.toString('utf8', pathsAt).split('\0'),
    sha256: body.toString('latin1', shaAt, pathsAt),
    stamps,
    links: head.links,
    directories: head.directories,
    writtenMs,
  };
}
