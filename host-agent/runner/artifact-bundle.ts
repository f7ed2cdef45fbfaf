// Packs a bundle (an .app, a .framework …) into one archive with its symbolic links and modes.
import { createHash } from 'node:crypto';
import { constants, createWriteStream, type Stats } from 'node:fs';
import { chmod, lstat, open, readdir, readlink } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { BUNDLE_COMMENT } from '../../shared/archive/bundle.js';
import { type TarEntry, tarComment, tarEnd, tarHeader, tarPadding } from '../../shared/archive/tar-writer.js';
import type { LeftOutReason } from '../../shared/messages/build-warnings.js';
import { badArtifactName } from '../../shared/paths/artifact-name.js';
import { isMetadataName } from '../../shared/paths/metadata-name.js';
import { badTarget } from '../../shared/paths/source-link.js';
import { badPath } from '../../shared/paths/source-path.js';
import { createSourceTree } from '../../shared/paths/source-tree.js';
import type { LeftOut } from '../contract/artifact-warnings.js';
import { takeTurns } from '../system/turns.js';

const SLASH = Buffer.from('/');
const READ_PIECE = 1024 * 1024;
const LONGEST_PATH = 1024;
/** macOS limits paths to 1,024 bytes including the NUL. */
const LONGEST_SOURCE = 1023;

export interface PackOptions {
  /** The file to write. */
  to: string;
  /** Maximum size of the archive in bytes. */
  maxBytes: number;
  maxEntries: number;
  /** Returns a name without secrets and control characters. */
  show(name: string): string;
  /** Returns the names of the secrets whose values a file contains. */
  scanFile(file: Buffer): Promise<readonly string[]>;
  leftOut: LeftOut;
  signal: AbortSignal;
}

export interface Packed {
  bytes: number;
  sha256: string;
  /** Names of the secrets whose values its files contain. */
  secrets: string[];
}

/** The bundle exceeds the maximum number of entries, or its archive the maximum size. */
export class BundleTooLargeError extends Error {
  override name = 'BundleTooLargeError';
}

interface Entry extends TarEntry {
  source: Buffer;
}

/**
 * Writes the archive. Left out are: version control, links that lead out of the bundle, everything that is neither
 * file, folder nor link, and names that collide where case is ignored.
 *
 * @param name the bundle's path below the artifacts folder
 * @throws BundleTooLargeError
 */
export async function packBundle(bundle: Buffer, name: string, options: PackOptions): Promise<Packed> {
  const entries = await listBundle(bundle, name, options);
  const secrets = new Set<string>();
  for (const { type, source } of entries) {
    if (type !== 'file') continue;
    options.signal.throwIfAborted();
    for (const secret of await options.scanFile(source)) secrets.add(secret);
  }
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(
    Readable.from(archiveOf(entries)),
    createGzip(),
    async function* (packed: AsyncIterable<Buffer>) {
      for await (const piece of packed) {
        bytes += piece.length;
        if (bytes > options.maxBytes) throw new BundleTooLargeError();
        hash.update(piece);
        yield piece;
      }
    },
    createWriteStream(options.to, { flags: 'wx', mode: 0o600 }),
    { signal: options.signal },
  );
  return { bytes, sha256: hash.digest('hex'), secrets: [...secrets].sort() };
}

/** Lists the entries, folders before their content, under names that the archive reader accepts. */
async function listBundle(bundle: Buffer, name: string, options: PackOptions): Promise<Entry[]> {
  const { show, leftOut, signal, maxEntries } = options;
  const slash = name.lastIndexOf('/') + 1;
  const above = name.slice(0, slash);
  const top = show(name.slice(slash));
  const tree = createSourceTree();
  const entries: Entry[] = [];
  const turn = takeTurns(signal, 256);

  const refused = (reason: LeftOutReason, path: string) => {
    leftOut.add(reason, above + path);
    return false;
  };
  /** Returns true for a folder, whose entries are visited next. */
  const add = async (source: Buffer, path: string): Promise<boolean> => {
    if (source.length > LONGEST_SOURCE) return refused('name', path);
    const found = await lstat(source);
    const type = typeOf(found);
    if (type === null) return refused('other', path);
    const composed = path.normalize('NFC');
    if (badPath(composed, LONGEST_PATH) ?? badArtifactName(composed) ?? tree.add(path, type)) {
      return refused('name', path);
    }
    if (entries.length >= maxEntries) throw new BundleTooLargeError();
    const target = type === 'link' ? show((await readlink(source, { encoding: 'buffer' })).toString()) : '';
    const mode = type === 'file' && (found.mode & 0o111) === 0 ? 0o644 : 0o755;
    const size = type === 'file' ? found.size : 0;
    entries.push({ type, path, mode, size, mtime: found.mtimeMs / 1000, target, source });
    // The build may have made it unreadable; we run as its owner.
    if (type !== 'link') await chmod(source, type === 'file' ? 0o600 : 0o700);
    return type === 'directory';
  };
  const visit = async (source: Buffer, path: string): Promise<void> => {
    if (!(await add(source, path))) return;
    for (const entry of (await readdir(source, { encoding: 'buffer' })).sort(Buffer.compare)) {
      await turn();
      const entryName = entry.toString('utf8');
      const full = Buffer.concat([source, SLASH, entry]);
      if (isMetadataName(entryName)) leftOut.add('metadata', `${above}${path}/${entryName}`);
      else await visit(full, `${path}/${show(entryName)}`);
    }
  };
  await visit(bundle, top);
  return entries.filter(({ type, path, target }) => {
    const leaves = type === 'link' && badTarget(path.normalize('NFC'), target, tree, 1) !== null;
    if (leaves) leftOut.add('bundleLink', above + path);
    return !leaves;
  });
}

function typeOf(found: Stats): Entry['type'] | null {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'directory';
  return found.isSymbolicLink() ? 'link' : null;
}

async function* archiveOf(entries: readonly Entry[]): AsyncGenerator<Buffer, void, undefined> {
  yield tarComment(BUNDLE_COMMENT);
  for (const entry of entries) {
    yield tarHeader(entry);
    if (entry.type !== 'file') continue;
    yield* contentOf(entry);
    yield tarPadding(entry.size);
  }
  yield tarEnd();
}

/** Yields exactly as many bytes as the header says. */
async function* contentOf({ source, size }: Entry): AsyncGenerator<Buffer, void, undefined> {
  const file = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    for (let at = 0; at < size; ) {
      const piece = Buffer.allocUnsafe(Math.min(READ_PIECE, size - at));
      const { bytesRead } = await file.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw new Error('a file of a bundle became shorter while it was read');
      yield piece.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}
