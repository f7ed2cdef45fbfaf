// Unpacks a bundle (an .app, a .framework …) that arrived as one archive. The archive is the build's and not trusted.
import { closeSync, createReadStream, mkdirSync, openSync, readSync, statSync, symlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { BUNDLE_COMMENT } from '../../shared/archive/bundle.js';
import { BLOCK, parseHeader, parsePax } from '../../shared/archive/tar-header.js';
import { readTar, TarError, type TarFile } from '../../shared/archive/tar-reader.js';
import { badArtifactName } from '../../shared/paths/artifact-name.js';
import { holdsRepository } from './paths.js';

const LIMITS = { entries: 200_000, pathBytes: 1024, ratio: 250, ratioFromBytes: 64 * 1024 * 1024 };
/** Enough packed bytes for the first header and its comment. */
const BEGINNING = 4096;

/** Returns whether the service made the archive; an archive that the build packed itself is an ordinary file. */
export function isBundleArchive(file: string): boolean {
  try {
    const begin = gunzipSync(beginning(file), {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: LIMITS.ratioFromBytes,
    });
    const header = parseHeader(begin.subarray(0, BLOCK));
    if (header.type !== 'g') return false;
    const comment = parsePax(begin.subarray(BLOCK, BLOCK + header.size)).get('comment');
    return comment?.toString() === BUNDLE_COMMENT;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error;
    // The service did not write this archive.
    return false;
  }
}

function beginning(file: string): Buffer {
  const bytes = Buffer.alloc(BEGINNING);
  const fd = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(fd, bytes, 0, BEGINNING, 0));
  } finally {
    closeSync(fd);
  }
}

/**
 * Unpacks the archive into `folder`, which must be empty and private. Links are created last, so that nothing is
 * written through one.
 *
 * @param name the bundle, which everything in the archive must lie in
 * @throws TarError, and what zlib and the file system throw
 */
export async function unpackBundle(archive: string, name: string, folder: string): Promise<void> {
  const packedBytes = statSync(archive).size;
  const largest = Math.max(LIMITS.ratioFromBytes, packedBytes * LIMITS.ratio);
  const tar = pipeline(createReadStream(archive), createGunzip(), () => {});
  const entries = readTar(tar, {
    maxFiles: LIMITS.entries,
    maxFolders: LIMITS.entries,
    maxFileBytes: largest,
    maxTotalBytes: largest,
    maxPathBytes: LIMITS.pathBytes,
    badName: badArtifactName,
    folder: name.normalize('NFC'),
  });
  const made = new Set<string>();
  const place = (path: string): string => {
    const parent = dirname(path);
    if (!made.has(parent)) mkdirSync(join(folder, parent), { recursive: true });
    made.add(parent);
    return join(folder, path);
  };
  const paths: string[] = [];
  let next = await entries.next();
  for (; !next.done; next = await entries.next()) {
    paths.push(next.value.path);
    await writeOut(next.value, place(next.value.path));
  }
  const { directories, links } = next.value;
  if (holdsRepository([...paths, ...directories, ...links.map(({ path }) => path)])) {
    throw new TarError('invalid', 'it contains a git repository');
  }
  for (const path of directories) mkdirSync(place(path), { recursive: true });
  for (const { path, target } of links) symlinkSync(target, place(path));
}

async function writeOut({ mode, body }: TarFile, path: string): Promise<void> {
  const fd = openSync(path, 'wx', mode === 0o755 ? 0o777 : 0o666);
  try {
    for await (const piece of body) for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at);
  } finally {
    closeSync(fd);
  }
}
