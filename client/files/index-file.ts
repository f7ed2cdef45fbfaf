// The local index: what a folder's files looked like when their contents were last hashed.
//
// One binary file per folder, read whole: a header, columns of 64-bit floats (size, mtime, ctime, inode), 32-byte
// hashes, the folder's name, the upload of these files (JSON), and the paths joined by NUL. A digest over all of it
// detects damage.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const MAGIC = 'cmidx\0\x02\n';
const HASH_BYTES = 32;
const COLUMNS = 4;
/** Magic, digest, entry count, bytes of the folder's name, of the upload and of the paths. */
const HEADER_BYTES = 8 + HASH_BYTES + 4 * 8;

export interface FileStat {
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
}

export interface IndexEntry {
  /** Name on disk relative to the folder. */
  name: string;
  sha256: string;
  stat: FileStat;
}

/** An upload whose files are those of the index, with these contents. */
export interface IndexedUpload {
  id: string;
  project: string;
  /** Address of the service that has it. */
  service: string;
  /** Digest of the copies of links that it has besides. */
  links: string;
}

/** Positions count the files in the order in which they were written. */
export interface FileIndex {
  readonly names: readonly string[];
  readonly upload: IndexedUpload | null;
  isUnchanged(at: number, stat: FileStat): boolean;
  sizeAt(at: number): number;
  hashAt(at: number): string;
  statAt(at: number): FileStat;
}

/** Where the index of a folder is kept: `$XDG_CACHE_HOME/cidermill/index`. */
export function indexFileOf(dir: string, env: NodeJS.ProcessEnv): string {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache');
  const key = createHash('sha256').update(dir).digest('hex').slice(0, 32);
  return join(cache, 'cidermill', 'index', `${key}.idx`);
}

/** Reads an index; null if there is none, or it is damaged or of another folder, and must be rebuilt. */
export function readIndex(file: string, dir: string): FileIndex | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return null; // None yet, or not readable: everything is hashed, and the next save says why if it fails.
  }
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 8) !== MAGIC) return null;
  if (!bytes.subarray(8, 8 + HASH_BYTES).equals(digestOf(bytes))) return null;
  const count = bytes.readDoubleLE(8 + HASH_BYTES);
  const dirBytes = bytes.readDoubleLE(16 + HASH_BYTES);
  const uploadBytes = bytes.readDoubleLE(24 + HASH_BYTES);
  const nameBytes = bytes.readDoubleLE(32 + HASH_BYTES);
  const columnsAt = HEADER_BYTES;
  const hashesAt = columnsAt + count * COLUMNS * 8;
  const dirAt = hashesAt + count * HASH_BYTES;
  const uploadAt = dirAt + dirBytes;
  const namesAt = uploadAt + uploadBytes;
  if (namesAt + nameBytes !== bytes.length || bytes.toString('utf8', dirAt, uploadAt) !== dir) return null;
  const names = count === 0 ? [] : bytes.toString('utf8', namesAt).split('\0');
  if (names.length !== count) return null;

  // Copied to an aligned buffer, so that a column can be viewed as numbers.
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset + columnsAt, bytes.byteOffset + hashesAt));
  const hashes = bytes.toString('hex', hashesAt, dirAt);
  const column = (at: number, nth: number) => numbers[at * COLUMNS + nth]!;
  return {
    names,
    upload: JSON.parse(bytes.toString('utf8', uploadAt, namesAt)),
    isUnchanged: (at, stat) =>
      column(at, 0) === stat.size &&
      column(at, 1) === stat.mtimeMs &&
      column(at, 2) === stat.ctimeMs &&
      column(at, 3) === stat.ino,
    sizeAt: (at) => column(at, 0),
    hashAt: (at) => hashes.slice(at * 2 * HASH_BYTES, (at + 1) * 2 * HASH_BYTES),
    statAt: (at) => ({
      size: column(at, 0),
      mtimeMs: column(at, 1),
      ctimeMs: column(at, 2),
      ino: column(at, 3),
    }),
  };
}

/**
 * Writes the index of `dir`, whole or not at all.
 *
 * @param content.lookedAt when the files were looked at, in ms since the epoch. A file that changed about then may
 *   change once more within the same tick of the file system's clock and look the same afterwards, so it
 *   is stored as unknown and hashed again the next time.
 */
export function writeIndex(
  file: string,
  dir: string,
  { entries, lookedAt, upload }: { entries: readonly IndexEntry[]; lookedAt: number; upload: IndexedUpload | null },
): void {
  const folder = Buffer.from(dir, 'utf8');
  const known = Buffer.from(JSON.stringify(upload), 'utf8');
  const names = Buffer.from(entries.map((entry) => entry.name).join('\0'), 'utf8');
  const numbers = new Float64Array(entries.length * COLUMNS);
  let hashes = '';
  entries.forEach((entry, at) => {
    const { size, mtimeMs, ctimeMs, ino } = entry.stat;
    const settled = isSettled(mtimeMs, lookedAt) && isSettled(ctimeMs, lookedAt);
    numbers.set([size, settled ? mtimeMs : Number.NaN, ctimeMs, ino], at * COLUMNS);
    hashes += entry.sha256;
  });
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 0, 'latin1');
  header.writeDoubleLE(entries.length, 8 + HASH_BYTES);
  header.writeDoubleLE(folder.length, 16 + HASH_BYTES);
  header.writeDoubleLE(known.length, 24 + HASH_BYTES);
  header.writeDoubleLE(names.length, 32 + HASH_BYTES);
  const bytes = Buffer.concat([header, Buffer.from(numbers.buffer), Buffer.from(hashes, 'hex'), folder, known, names]);
  digestOf(bytes).copy(bytes, 8);

  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}

const digestOf = (bytes: Buffer) =>
  createHash('sha256')
    .update(bytes.subarray(8 + HASH_BYTES))
    .digest();

/** File systems that keep whole seconds round down; the others tick every few milliseconds. */
function isSettled(timeMs: number, lookedAt: number): boolean {
  return timeMs < lookedAt - (timeMs % 1000 === 0 ? 2000 : 20);
}
