// A strict tar reader: regular files, directories and symbolic links that stay inside the tree, nothing else.
// Existing tar libraries are too lenient for this: they read on after the end marker, accept an archive that is
// truncated between two entries, and guess at malformed numbers.
import { endTurn, inGroups, type Pause } from '../in-steps.js';
import { badTarget } from '../paths/source-link.js';
import { badPath } from '../paths/source-path.js';
import { createSourceTree, type SourceTree } from '../paths/source-tree.js';
import { type ByteReader, createByteReader } from './byte-reader.js';
import {
  BLOCK,
  isZeroBlock,
  nameText,
  parseHeader,
  parseLongName,
  parsePax,
  paxSize,
  TarFormatError,
  type TarHeader,
} from './tar-header.js';

export interface TarBounds {
  /** Maximum number of regular files, and of directories and links together. */
  maxFiles: number;
  /** Maximum number of directories, including those that are only part of a path. */
  maxFolders: number;
  maxFileBytes: number;
  maxTotalBytes: number;
  maxPathBytes: number;
  /** Returns why a path that is valid in an upload is refused here. */
  badName?: (path: string) => string | null;
  /**
   * Everything must be in this one folder, and links must stay inside it; the archive may then contain no regular
   * file.
   */
  folder?: string;
}

/** A regular file; its body must be read to the end before the next file. */
export interface TarFile {
  path: string;
  mode: 0o644 | 0o755;
  size: number;
  body: AsyncIterable<Buffer>;
}

/** What a tar contains besides files. */
export interface TarRest {
  links: { path: string; target: string }[];
  /** Empty directories. */
  directories: string[];
}

/** The archive is refused; the message is a sentence. */
export class TarError extends Error {
  override name = 'TarError';
  readonly kind: 'invalid' | 'empty' | 'too_many' | 'too_large';
  constructor(kind: TarError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Links, or directories, that are checked at a time: less than a millisecond of work. */
const STEP = 500;

/** An extended header contains a name or two, and on a Mac extended attributes. */
const LONGEST_EXTENSION = 1024 * 1024;

/**
 * Yields the files of an archive in order and returns, at its end, what else it contains. Names are relative, without
 * `./`, in normalization form C.
 *
 * @param pause called between steps of the work at its end
 * @throws TarError
 * @example
 * const files = readTar(gunzip(body, bounds), tarBounds);
 * for (let next = await files.next(); !next.done; next = await files.next()) await store(next.value);
 */
export async function* readTar(
  source: AsyncIterable<Buffer>,
  bounds: TarBounds,
  pause: Pause = endTurn,
): AsyncGenerator<TarFile, TarRest, undefined> {
  const reader = createByteReader(source);
  const tree = createSourceTree();
  const links: TarRest['links'] = [];
  let files = 0;
  let others = 0;
  let totalBytes = 0;
  const depth = bounds.folder === undefined ? 0 : 1;
  try {
    for (let header = await nextHeader(reader); header; header = await nextHeader(reader)) {
      const { type, path, size } = header;
      if ((type === 'file' ? ++files : ++others) > bounds.maxFiles) {
        throw new TarError('too_many', `An upload may hold at most ${bounds.maxFiles} files.`);
      }
      if (type === 'root') continue;
      addEntry(tree, header, bounds);
      if (type === 'link') links.push({ path, target: header.target });
      if (type !== 'file') continue;

      totalBytes += size;
      if (size > bounds.maxFileBytes) throw tooLarge(path, `has more than ${bounds.maxFileBytes} bytes`);
      if (totalBytes > bounds.maxTotalBytes) {
        throw tooLarge(path, `makes the upload larger than ${bounds.maxTotalBytes} bytes`);
      }
      yield* oneFile(reader, header);
    }
    if (!(await reader.ended())) await onlyZeros(reader);
    if (files === 0 && bounds.folder === undefined) throw new TarError('empty', 'The archive holds no regular file.');
    for await (const group of inGroups(links, STEP, pause)) {
      for (const { path, target } of group) check(path, badTarget(path, target, tree, depth));
    }
    const directories: string[] = [];
    for await (const group of inGroups(tree.emptyDirectories(), STEP, pause)) {
      for (const path of group) directories.push(path.normalize('NFC'));
    }
    return { links, directories };
  } catch (error) {
    if (!(error instanceof TarFormatError)) throw error;
    throw new TarError('invalid', `The body is not a tar archive that can be taken: ${error.message}.`);
  }
}

/** The tree gets the original spelling: two spellings of one folder would be two folders to tar, but one on a Mac. */
function addEntry(tree: SourceTree, { type, path, spelled }: Entry, bounds: TarBounds): void {
  if (type === 'root') return;
  const bad = badPath(path, bounds.maxPathBytes) ?? bounds.badName?.(path) ?? outside(path, type, bounds);
  check(path, bad ?? tree.add(spelled, type));
  if (tree.folders() > bounds.maxFolders) {
    throw new TarError('too_many', `An upload may hold at most ${bounds.maxFolders} folders.`);
  }
}

function outside(path: string, type: Entry['type'], { folder }: TarBounds): string | null {
  if (folder === undefined || path.startsWith(`${folder}/`) || (path === folder && type === 'directory')) {
    return null;
  }
  return `does not lie in ${JSON.stringify(folder)}`;
}

interface Entry {
  type: 'file' | 'directory' | 'link' | 'root';
  path: string;
  /** The path before normalization. */
  spelled: string;
  target: string;
  size: number;
  mode: 0o644 | 0o755;
}

/** Reads the next entry with its extensions; returns null at the end marker (two blocks of zeros). */
async function nextHeader(reader: ByteReader): Promise<Entry | null> {
  const extensions = new Map<string, Buffer>();
  for (;;) {
    const block = await readBlock(reader);
    if (isZeroBlock(block)) {
      if (extensions.size > 0) throw new TarFormatError('an extended header has no entry');
      if (!isZeroBlock(await readBlock(reader))) throw new TarFormatError('its end mark is damaged');
      return null;
    }
    const header = parseHeader(block);
    if (header.type === 'g') {
      checkGlobal(parsePax(await extension(reader, header)));
    } else if (header.type === 'x' || header.type === 'L' || header.type === 'K') {
      // Programs differ in which of the two they use.
      if (extensions.has(header.type)) throw new TarFormatError('an entry has two extended headers of a kind');
      extensions.set(header.type, await extension(reader, header));
    } else {
      return toEntry(extend(header, extensions));
    }
  }
}

/** A global header would apply to all following entries, and programs differ in whether it does. */
function checkGlobal(records: Map<string, Buffer>): void {
  for (const key of records.keys()) {
    if (/^(path|linkpath|size|GNU\.sparse\..*|hdrcharset)$/.test(key)) {
      throw new TarFormatError(`a global header has ${JSON.stringify(key)}`);
    }
  }
}

type NamedHeader = Omit<TarHeader, 'name' | 'target'> & { name: string; target: string };

function extend(header: TarHeader, extensions: ReadonlyMap<string, Buffer>): NamedHeader {
  const records = parsePax(extensions.get('x') ?? Buffer.alloc(0));
  const text = (key: string, long: string, field: Buffer) => {
    const value = records.get(key);
    const replacement = extensions.get(long);
    // An empty value cancels the record.
    if (value && value.length > 0) return nameText(value);
    return replacement ? parseLongName(replacement) : nameText(field);
  };
  return {
    ...header,
    name: text('path', 'L', header.name),
    target: text('linkpath', 'K', header.target),
    size: paxSize(records.get('size')) ?? header.size,
    type: [...records.keys()].some((key) => key.startsWith('GNU.sparse.')) ? 'S' : header.type,
  };
}

const REFUSED: Readonly<Record<string, string>> = {
  '1': 'is a hard link',
  '3': 'is a device',
  '4': 'is a device',
  '6': 'is a named pipe',
  S: 'is a sparse file',
};

function toEntry({ type, name, target, size, mode }: NamedHeader): Entry {
  // Old writers mark a directory only by a trailing slash.
  const directory = type === '5' || (type === '0' && name.endsWith('/'));
  const root = directory && /^(\.\/+)+$|^(\.\/+)*\.$/.test(name);
  const relative = name.replace(/^(\.\/+)+/, '');
  const spelled = directory && relative.length > 1 ? relative.replace(/\/+$/, '') : relative;
  const path = spelled.normalize('NFC');
  const entry = { path, spelled, target: target.normalize('NFC'), size };
  if (size !== 0 && (directory || type === '2')) {
    throw new TarFormatError(`${JSON.stringify(path)} is no file but has content`);
  }
  if (directory) return { ...entry, type: root ? 'root' : 'directory', mode: 0o755 };
  if (type === '2') return { ...entry, type: 'link', mode: 0o755 };
  if (type !== '0') throw new TarFormatError(`${JSON.stringify(path)} ${REFUSED[type] ?? 'is of an unknown kind'}`);
  return { ...entry, type: 'file', mode: (mode & 0o111) === 0 ? 0o644 : 0o755 };
}

async function* oneFile(reader: ByteReader, { path, mode, size }: Entry): AsyncGenerator<TarFile, void, undefined> {
  const body = reader.body(size);
  yield { path, mode, size, body: whole(body.chunks, body.left, path) };
  const padding = (BLOCK - (size % BLOCK)) % BLOCK;
  const rest = body.left() + padding;
  if ((await reader.skip(rest)) < rest) throw cutOff();
}

/** Yields the body; throws when the archive ends inside it. */
async function* whole(
  chunks: AsyncIterable<Buffer>,
  left: () => number,
  path: string,
): AsyncGenerator<Buffer, void, undefined> {
  yield* chunks;
  if (left() > 0) throw new TarError('invalid', `The archive ends inside ${JSON.stringify(path)}.`);
}

async function readBlock(reader: ByteReader): Promise<Buffer> {
  const block = await reader.take(BLOCK);
  if (block.length < BLOCK) throw cutOff();
  return block;
}

async function extension(reader: ByteReader, { size }: TarHeader): Promise<Buffer> {
  if (size > LONGEST_EXTENSION) throw new TarFormatError('an extended header is too long');
  const bytes = await reader.take(Math.ceil(size / BLOCK) * BLOCK);
  if (bytes.length < size) throw cutOff();
  return bytes.subarray(0, size);
}

async function onlyZeros(reader: ByteReader): Promise<void> {
  for (let piece = await reader.some(); piece; piece = await reader.some()) {
    if (!isZeroBlock(piece)) throw new TarFormatError('bytes follow its end mark');
  }
}

function check(path: string, bad: string | null): void {
  if (bad) throw new TarFormatError(`${JSON.stringify(path)} ${bad}`);
}

function cutOff(): TarFormatError {
  return new TarFormatError('it is cut off');
}

function tooLarge(path: string, why: string): TarError {
  return new TarError('too_large', `${JSON.stringify(path)} ${why}.`);
}
