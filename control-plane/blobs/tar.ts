// A strict tar reader: regular files, directories and symbolic links that stay inside the tree, nothing else.
// Written here because readers in use are lenient where this must not be: they read on behind the end mark,
// take an archive that is cut off between two entries, and guess at malformed numbers.
import { ApiError } from '../domain/error-catalog.js';
import { type ByteReader, createByteReader } from './byte-reader.js';
import { badTarget } from './source-link.js';
import { badPath } from './source-path.js';
import { createSourceTree } from './source-tree.js';
import {
  BLOCK,
  isZeroBlock,
  parseHeader,
  parseLongName,
  parsePax,
  paxSize,
  paxText,
  TarFormatError,
  type TarHeader,
} from './tar-header.js';

export interface TarBounds {
  /** Regular files, and as many directories and links together. */
  maxFiles: number;
  maxFileBytes: number;
  maxTotalBytes: number;
  maxPathBytes: number;
}

/** A regular file; its body must be read to its end before the next is asked for. */
export interface TarFile {
  path: string;
  mode: 0o644 | 0o755;
  size: number;
  body: AsyncIterable<Buffer>;
}

/** What a tar holds beside its files. */
export interface TarRest {
  links: { path: string; target: string }[];
  /** Directories that hold nothing. */
  directories: string[];
}

/** An extended header holds a name or two, and on a Mac extended attributes. */
const LONGEST_EXTENSION = 1024 * 1024;

/**
 * Yields the files of an archive in their order and returns, at its proper end, what else it holds. Names come
 * out relative, without `./`, in normalisation form C.
 *
 * @throws ApiError `invalid_tar`, `empty_upload` (no regular file), `too_many_files`, `upload_too_large`
 * @example
 * const files = readTar(gunzip(body, bounds), tarBounds);
 * for (let next = await files.next(); !next.done; next = await files.next()) await store(next.value);
 */
export async function* readTar(
  source: AsyncIterable<Buffer>,
  bounds: TarBounds,
): AsyncGenerator<TarFile, TarRest, undefined> {
  const reader = createByteReader(source);
  const tree = createSourceTree();
  const links: TarRest['links'] = [];
  let files = 0;
  let others = 0;
  let totalBytes = 0;
  try {
    for (let header = await nextHeader(reader); header; header = await nextHeader(reader)) {
      const { type, path, size } = header;
      if ((type === 'file' ? ++files : ++others) > bounds.maxFiles) {
        throw new ApiError('too_many_files', {
          message: `An upload may hold at most ${bounds.maxFiles} files.`,
        });
      }
      if (type === 'root') continue;
      check(path, badPath(path, bounds.maxPathBytes) ?? tree.add(path, type));
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
    if (files === 0) throw new ApiError('empty_upload', { message: 'The archive holds no regular file.' });
    for (const { path, target } of links) check(path, badTarget(path, target, tree));
    return { links, directories: tree.emptyDirectories() };
  } catch (error) {
    if (!(error instanceof TarFormatError)) throw error;
    throw new ApiError('invalid_tar', {
      message: `The body is not a tar archive that can be taken: ${error.message}.`,
    });
  }
}

interface Entry {
  type: 'file' | 'directory' | 'link' | 'root';
  path: string;
  target: string;
  size: number;
  mode: 0o644 | 0o755;
}

/** The next entry with everything that extends it, or null at the end mark (two blocks of zeros). */
async function nextHeader(reader: ByteReader): Promise<Entry | null> {
  let pax = new Map<string, Buffer>();
  let longName: string | null = null;
  let longTarget: string | null = null;
  let extended = false;
  for (;;) {
    const block = await readBlock(reader);
    if (isZeroBlock(block)) {
      if (extended) throw new TarFormatError('an extended header has no entry');
      if (!isZeroBlock(await readBlock(reader))) throw new TarFormatError('its end mark is damaged');
      return null;
    }
    const header = parseHeader(block);
    if (header.type === 'x') pax = parsePax(await extension(reader, header));
    else if (header.type === 'L') longName = parseLongName(await extension(reader, header));
    else if (header.type === 'K') longTarget = parseLongName(await extension(reader, header));
    // A global header (git archive writes one) says nothing that is kept here.
    else if (header.type === 'g') parsePax(await extension(reader, header));
    else {
      return toEntry({
        ...header,
        name: paxText(pax.get('path')) ?? longName ?? header.name,
        target: paxText(pax.get('linkpath')) ?? longTarget ?? header.target,
        size: paxSize(pax.get('size')) ?? header.size,
        type: [...pax.keys()].some((key) => key.startsWith('GNU.sparse.')) ? 'S' : header.type,
      });
    }
    extended ||= header.type !== 'g';
  }
}

const REFUSED: Readonly<Record<string, string>> = {
  '1': 'is a hard link',
  '3': 'is a device',
  '4': 'is a device',
  '6': 'is a named pipe',
  S: 'is a sparse file',
};

function toEntry({ type, name, target, size, mode }: TarHeader): Entry {
  // Old writers mark a directory only by the slash at its end.
  const directory = type === '5' || (type === '0' && name.endsWith('/'));
  const root = directory && /^(\.\/+)+$|^(\.\/+)*\.$/.test(name);
  const relative = name.normalize('NFC').replace(/^(\.\/+)+/, '');
  const path = directory && relative.length > 1 ? relative.replace(/\/+$/, '') : relative;
  const entry = { path, target: target.normalize('NFC'), size };
  if (size !== 0 && (directory || type === '2')) {
    throw new TarFormatError(`${JSON.stringify(path)} is no file but has content`);
  }
  if (directory) return { ...entry, type: root ? 'root' : 'directory', mode: 0o755 };
  if (type === '2') return { ...entry, type: 'link', mode: 0o755 };
  if (type !== '0')
    throw new TarFormatError(`${JSON.stringify(path)} ${REFUSED[type] ?? 'is of an unknown kind'}`);
  return { ...entry, type: 'file', mode: (mode & 0o111) === 0 ? 0o644 : 0o755 };
}

async function* oneFile(
  reader: ByteReader,
  { path, mode, size }: Entry,
): AsyncGenerator<TarFile, void, undefined> {
  const body = reader.body(size);
  yield { path, mode, size, body: whole(body.chunks, body.left, path) };
  const padding = (BLOCK - (size % BLOCK)) % BLOCK;
  const rest = body.left() + padding;
  if ((await reader.skip(rest)) < rest) throw cutOff();
}

/** A body that fails, instead of ending early, when the archive ends inside it. */
async function* whole(
  chunks: AsyncIterable<Buffer>,
  left: () => number,
  path: string,
): AsyncGenerator<Buffer, void, undefined> {
  yield* chunks;
  if (left() > 0)
    throw new ApiError('invalid_tar', { message: `The archive ends inside ${JSON.stringify(path)}.` });
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

function tooLarge(path: string, why: string): ApiError {
  return new ApiError('upload_too_large', { message: `${JSON.stringify(path)} ${why}.` });
}
