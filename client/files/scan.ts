// Scans a folder: selects its files and hashes those that have changed.
import { createHash } from 'node:crypto';
import type { ManifestFile } from '../types.js';
import type { HashedFile } from './hash-file.js';
import { hashFiles } from './hash-files.js';
import { type FileIndex, type IndexedUpload, indexFileOf, readIndex, writeIndex } from './index-file.js';
import { copyLinks } from './links.js';
import { listFolder } from './listing.js';
import { type FoundFile, findFiles, unchangedModes } from './look.js';
import { SelectionError } from './selection-error.js';

export interface ScannedFile extends ManifestFile {
  /** Name of the file that holds the content, relative to the folder. */
  name: string;
  /** The content of a file that had to be read and was small. */
  content: Buffer | null;
}

export interface Scan {
  /** The folder's real path. */
  dir: string;
  files: ScannedFile[];
  warnings: string[];
  /** How many files had to be read. */
  hashed: number;
  /** An upload that has the same paths, and the files that differ from it; null when there is none. */
  since: { upload: IndexedUpload; files: ScannedFile[] } | null;
  /**
   * Saves the index for the next run; call it when nobody is waiting.
   *
   * @param upload an upload of exactly these files, if it is not the one of `since`
   */
  saveIndex(upload?: Omit<IndexedUpload, 'links'>): void;
}

/**
 * Selects and hashes the files of a folder.
 *
 * @param dir the folder's real, absolute path
 * @param options.now milliseconds since the epoch
 * @throws SelectionError when a file cannot be read, or names collide on a Mac's file system
 */
export async function scanFolder(dir: string, options: { env: NodeJS.ProcessEnv; now: () => number }): Promise<Scan> {
  const { env } = options;
  const lookedAt = options.now();
  const listed = listFolder(dir, env);
  // While git lists, read the metadata of the files of the last run; most of them are the same.
  const indexFile = indexFileOf(dir, env);
  const index = readIndex(indexFile, dir);
  const [listing, unchanged] = await Promise.all([listed, index ? unchangedModes(dir, index) : new Uint16Array()]);

  const found = await findFiles(dir, listing.names, { env, index, unchanged, keep: listing.keep });
  const hashes = await hashChanged(dir, found.files);
  const present = found.files.filter((file) => hashes.get(file) !== null);
  const files = present.map((file) => scannedFile(file, index, hashes.get(file) ?? null));
  const copied = addLinkCopies(dir, files, found.links);
  const warnings = [...listing.warnings, ...found.warnings, ...copied.warnings];
  // A subset of names that were checked before needs no second check.
  if (!found.allKnown || files.length > present.length) refuseCollisions(files.map(({ path }) => path));

  const samePaths = found.allKnown && present.length === index?.names.length;
  const learned = hashes.size > 0 || !samePaths;
  const differing = () => {
    const read = new Set([...hashes.keys()].map(({ name }) => name));
    return files.filter(({ name }) => read.has(name));
  };
  return {
    dir,
    files,
    warnings,
    hashed: hashes.size,
    since: samePaths && index?.upload?.links === copied.digest ? { upload: index.upload, files: differing() } : null,
    saveIndex(upload) {
      if (!learned && !upload) return;
      const entries = present.map(({ name, stat, at }, i) => ({
        name,
        sha256: files[i]!.sha256,
        stat: stat ?? index!.statAt(at),
      }));
      const known = upload ? { ...upload, links: copied.digest } : null;
      writeIndex(indexFile, dir, { entries, lookedAt, upload: known });
    },
  };
}

/** Hashes of the files that must be read; null for one that no longer exists. */
async function hashChanged(dir: string, files: readonly FoundFile[]): Promise<Map<FoundFile, HashedFile | null>> {
  const changed = files.filter((file) => file.stat !== null);
  if (changed.length === 0) return new Map();
  try {
    const hashed = await hashFiles(changed.map(({ name, size }) => ({ path: `${dir}/${name}`, size })));
    return new Map(changed.map((file, at) => [file, hashed[at]!]));
  } catch (error) {
    throw new SelectionError(`cannot read a file: ${error instanceof Error ? error.message : error}`);
  }
}

function scannedFile(file: FoundFile, index: FileIndex | null, hashed: HashedFile | null): ScannedFile {
  return {
    path: manifestPath(file.name),
    sha256: hashed?.sha256 ?? index?.hashAt(file.at) ?? '',
    size: hashed?.size ?? file.size,
    mode: file.mode,
    name: file.name,
    content: hashed?.content ?? null,
  };
}

interface LinkCopies {
  /** Changes when a copy is added, removed, or becomes that of another file. */
  digest: string;
  /** About what could not be added. */
  warnings: string[];
}

/** Adds what the links point to under the links' own names. */
function addLinkCopies(dir: string, files: ScannedFile[], links: readonly string[]): LinkCopies {
  if (links.length === 0) return { digest: '', warnings: [] };
  const byName = new Map(files.map((file) => [file.name, file]));
  const { copies, warnings } = copyLinks(dir, new Set(byName.keys()), links);
  for (const [path, target] of copies) {
    const original = byName.get(target);
    if (original) files.push({ ...original, path: manifestPath(path) });
  }
  const digest = createHash('sha256')
    .update(JSON.stringify([...copies]))
    .digest('hex');
  return { digest, warnings };
}

const ASCII = /^[\x00-\x7f]*$/;

/** A path in the form that manifests use: slashes between parts, NFC. */
function manifestPath(name: string): string {
  return ASCII.test(name) ? name : name.normalize('NFC');
}

/**
 * Refuses paths that would be one file on a file system that folds case or normalizes, folders included.
 *
 * @throws SelectionError naming the first pairs
 */
function refuseCollisions(paths: Iterable<string>): void {
  const seen = new Map<string, string>();
  const pairs = new Set<string>();
  const check = (path: string, isFile: boolean): boolean => {
    const folded = fold(path);
    const other = seen.get(folded);
    if (other === undefined) seen.set(folded, path);
    else if (other !== path || isFile) pairs.add(`${other} and ${path}`);
    return other === undefined;
  };
  for (const path of paths) {
    check(path, true);
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      if (!check(path.slice(0, slash), false)) break;
    }
  }
  if (pairs.size === 0) return;
  const shown = [...pairs].slice(0, 5).join('; ');
  const more = pairs.size > 5 ? ` and ${pairs.size - 5} more` : '';
  throw new SelectionError(
    `a Mac's file system cannot tell these names apart: ${shown}${more}. ` +
      'Rename one of each, or leave it out with .cidermillignore.',
  );
}

const fold = (path: string) =>
  ASCII.test(path) ? path.toLowerCase() : path.normalize('NFC').toUpperCase().toLowerCase();
