// The manifest of an upload: read from JSON in bounded memory, validated, and written in one canonical form.

import { endTurn, inGroups, type Pause, sortInSteps } from '../../../shared/in-steps.js';
import { MOST_CHANGES } from '../../../shared/manifest-base.js';
import { nearestName } from '../../../shared/nearest-name.js';
import { badPath } from '../../../shared/paths/source-path.js';
import { createSourceTree } from '../../../shared/paths/source-tree.js';
import type { SourceFile, SourceManifest } from '../../../shared/protocol/index.js';
import { FormatError } from './format-error.js';
import { ManifestJsonError, readFilesAlone, readManifestJson } from './manifest-json.js';

export interface ManifestBounds {
  maxFiles: number;
  /** Folders named by the paths. */
  maxFolders: number;
  maxFileBytes: number;
  maxTotalBytes: number;
  maxPathBytes: number;
}

export interface ReadManifest {
  project: string;
  /** The upload whose other files stay as they are; null: the manifest is whole. */
  base: string | null;
  manifest: SourceManifest;
  /** Total bytes of all files. */
  totalBytes: number;
  /** Size of every distinct content, by SHA-256. */
  sizes: Map<string, number>;
}

const PROJECT = /^[A-Za-z0-9_.-]{1,64}$/;
const MANIFEST_FIELDS = ['project', 'base', 'files'];
const FILE_FIELDS = ['path', 'sha256', 'size', 'mode'];
/** Maximum length of an unknown field's name in an error. */
const LONGEST_NAME = 100;
const SHA256_DIGITS = 64;
/** 1 for the character code of each lower-case hex digit. */
const HEX = Uint8Array.from({ length: 256 }, (_, code) => (/[0-9a-f]/.test(String.fromCharCode(code)) ? 1 : 0));
const REGULAR = 0o644;
const EXECUTABLE = 0o755;

/** 1 to 64 letters, digits, `_`, `.` and `-`, except `.` and `..`. */
export function isProjectName(value: unknown): value is string {
  return typeof value === 'string' && PROJECT.test(value) && value !== '.' && value !== '..';
}

/**
 * Reads and validates the manifest of a client's folder: `{project, base?, files: [{path, sha256, size, mode?}]}`.
 *
 * @throws FormatError `manifest` (with `facts.fields`), `empty`, `too_many`, `too_large`; what the source throws
 * @example
 * const { manifest, sizes } = await readManifest(gunzip(body, gunzipBounds), bounds);
 */
export async function readManifest(
  source: AsyncIterable<Buffer>,
  bounds: ManifestBounds,
  pause = endTurn,
): Promise<ReadManifest> {
  const files: SourceFile[] = [];
  const sizes = new Map<string, number>();
  const tree = createSourceTree();
  let totalBytes = 0;

  const addFile = (element: unknown) => {
    const at = files.length;
    const file = toFile(element, at);
    const bad = badPath(file.path, bounds.maxPathBytes) ?? tree.add(file.path, 'file');
    if (bad) throw invalidFile(at, '.path', `${JSON.stringify(file.path)} ${bad}`);
    if (tree.folders() > bounds.maxFolders) {
      throw new FormatError('too_many', `An upload may hold at most ${bounds.maxFolders} folders.`);
    }
    const known = sizes.get(file.sha256);
    if (known !== undefined && known !== file.size) {
      throw invalidFile(at, '.size', `${file.sha256} has two sizes, ${known} and ${file.size}`);
    }
    if (known === undefined) sizes.set(file.sha256, file.size);
    totalBytes += file.size;
    if (files.push(file) > bounds.maxFiles) {
      throw new FormatError('too_many', `An upload may hold at most ${bounds.maxFiles} files.`);
    }
    if (file.size > bounds.maxFileBytes) {
      throw tooLarge(`${JSON.stringify(file.path)} has more than ${bounds.maxFileBytes} bytes.`);
    }
    if (totalBytes > bounds.maxTotalBytes) throw tooLarge(`The files have more than ${bounds.maxTotalBytes} bytes.`);
  };

  let rest: Record<string, unknown>;
  try {
    rest = await readManifestJson(source, (elements) => elements.forEach(addFile), { pause });
  } catch (error) {
    throw error instanceof ManifestJsonError ? invalid('', `it ${error.message}`) : error;
  }
  refuseUnknown(rest, MANIFEST_FIELDS, '');
  const { project, base } = rest;
  if (!isProjectName(project)) {
    throw invalid('project', 'it must have 1 to 64 letters, digits, underscores, dots or hyphens');
  }
  if (base !== undefined && typeof base !== 'string') {
    throw invalid('base', 'it must be the id of an upload');
  }
  if (base !== undefined && files.length > MOST_CHANGES) {
    throw invalid('files', `with a base it may name at most ${MOST_CHANGES} files`);
  }
  if (base === undefined && files.length === 0) throw new FormatError('empty', 'The manifest contains no files.');
  return { project, base: base ?? null, manifest: { files, links: [], directories: [] }, totalBytes, sizes };
}

/** @param at its index in the list */
function toFile(element: unknown, at: number): SourceFile {
  if (typeof element !== 'object' || element === null) throw invalidFile(at, '', 'it must be an object');
  refuseUnknown(element, FILE_FIELDS, `files[${at}].`);
  const { path, sha256, size, mode = REGULAR } = element as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string') throw invalidFile(at, '.path', 'it must be a string');
  if (typeof sha256 !== 'string' || !isSha256(sha256)) {
    throw invalidFile(at, '.sha256', 'it must be 64 lower-case hex digits');
  }
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw invalidFile(at, '.size', 'it must be an integer of at least 0');
  }
  if (mode !== REGULAR && mode !== EXECUTABLE) throw invalidFile(at, '.mode', 'it must be 420 or 493');
  // -0 is an integer, but must not be written back.
  return { path, sha256, size: size + 0, mode };
}

/** A misspelled `mode` would silently make a script non-executable. */
function refuseUnknown(value: object, known: readonly string[], place: string): void {
  for (const name in value) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const hint = nearest === null ? `known: ${known.join(', ')}.` : `did you mean ${place}${nearest}?`;
    const shown = place + name.slice(0, LONGEST_NAME).replace(/[\p{C}\p{Z}]/gu, '?');
    throw new FormatError('manifest', `Unknown field ${shown}; ${hint}`, {
      fields: [{ path: shown, message: `unknown; ${hint}` }],
    });
  }
}

/** Without a branch per digit, which processors cannot predict: a regular expression takes twice as long. */
function isSha256(text: string): boolean {
  if (text.length !== SHA256_DIGITS) return false;
  let hex = 1;
  for (let i = 0; i < SHA256_DIGITS; i++) hex &= HEX[text.charCodeAt(i)] ?? 0;
  return hex === 1;
}

/**
 * Returns the canonical stored form: JSON with sorted paths and a fixed key order, so that equal folders have equal
 * bytes. In pieces, made in steps.
 */
export async function encodeManifest(
  { files, links, directories }: SourceManifest,
  pause = endTurn,
): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  const list = async <T>(items: readonly T[], textOf: (item: T) => string) => {
    let first = true;
    for await (const group of inGroups(items, STEP, pause)) {
      pieces.push(Buffer.from((first ? '' : ',') + group.map(textOf).join(',')));
      first = false;
    }
  };
  pieces.push(Buffer.from('{"files":['));
  await list(await sorted(files, byPath, pause), fileRow);
  pieces.push(Buffer.from('],"links":['));
  await list(await sorted(links, byPath, pause), ({ path, target }) => JSON.stringify({ path, target }));
  pieces.push(Buffer.from('],"directories":['));
  await list(await sorted(directories, byText, pause), (directory) => JSON.stringify(directory));
  pieces.push(Buffer.from(']}'));
  return pieces;
}

/** A file as stored. */
export function fileRow({ path, sha256, size, mode }: SourceFile): string {
  return JSON.stringify({ path, sha256, size, mode });
}

/** Entries handled at a time: less than a millisecond of work. */
const STEP = 500;

/** Clients usually send sorted paths. */
async function sorted<T>(items: readonly T[], compare: (a: T, b: T) => number, pause: Pause): Promise<readonly T[]> {
  let last = items[0] as T;
  for await (const group of inGroups(items, STEP, pause)) {
    for (const item of group) {
      if (compare(last, item) > 0) return sortInSteps(items, compare, STEP, pause);
      last = item;
    }
  }
  return items;
}

/** Returns the files of a manifest as written by `encodeManifest`. Links and directories, which follow, are not read. */
export async function readStoredFiles(source: AsyncIterable<Buffer>, pause = endTurn): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  await readFilesAlone(source, (elements) => files.push(...(elements as SourceFile[])), pause);
  return files;
}

/** Size of every distinct content, by SHA-256. */
export async function contentSizes(files: readonly SourceFile[], pause = endTurn): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const group of inGroups(files, STEP, pause)) {
    for (const { sha256, size } of group) sizes.set(sha256, size);
  }
  return sizes;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The order of stored files. */
export function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

export function invalidFile(at: number, field: string, message: string): FormatError {
  return invalid(`files[${at}]${field}`, message);
}

function invalid(path: string, message: string): FormatError {
  const where = path === '' ? 'The manifest' : `The manifest's ${path}`;
  return new FormatError('manifest', `${where} is not valid: ${message}.`, {
    fields: [{ path, message }],
  });
}

function tooLarge(message: string): FormatError {
  return new FormatError('too_large', message);
}
