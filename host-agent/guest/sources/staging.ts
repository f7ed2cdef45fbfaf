// The checked out sources on this host, and what was last delivered of them.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { writeDurably } from '../../../shared/durable-file.js';
import { unless } from '../../../shared/errno.js';
import { takeTurns } from '../../system/turns.js';

/** Columns over all files, links and folders, sorted by path. */
export interface Staging {
  /** Relative, the bytes as characters (latin1), so that they sort by bytes. */
  paths: string[];
  stamps: Float64Array;
}

const FIELDS = 5;
const TYPE = 0o170000;
const FOLDER = 0o040000;
const LINK = 0o120000;
const FILE = 0o100000;

export type EntryType = 'file' | 'folder' | 'link';

/** Returns the path's bytes. */
export const bytesOf = (path: string): Buffer => Buffer.from(path, 'latin1');

const at = ({ stamps }: Staging, row: number, field: number): number => stamps[row * FIELDS + field] ?? 0;

export const permissionsOf = (staging: Staging, row: number): number => at(staging, row, 0) & 0o777;
export const sizeOf = (staging: Staging, row: number): number => at(staging, row, 1);
/** Modification time in seconds. */
export const mtimeOf = (staging: Staging, row: number): number => at(staging, row, 2) / 1000;

export function typeOf(staging: Staging, row: number): EntryType {
  const type = at(staging, row, 0) & TYPE;
  if (type === FOLDER) return 'folder';
  return type === LINK ? 'link' : 'file';
}

/** Lists what is in the folder. Nobody may change it meanwhile. */
export async function scanStaging(folder: string, signal: AbortSignal): Promise<Staging> {
  const found: [path: string, mode: number, size: number, mtime: number, ctime: number, inode: number][] = [];
  const turn = takeTurns(signal, 256);
  const root = Buffer.from(`${folder}/`).toString('latin1');
  const waiting = [''];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    for (const name of readdirSync(bytesOf(root + below), { encoding: 'latin1' })) {
      await turn();
      const path = below + name;
      const { mode, size, mtimeMs, ctimeMs, ino } = lstatSync(bytesOf(root + path));
      const type = mode & TYPE;
      if (type !== FOLDER && type !== LINK && type !== FILE) continue;
      // Of a folder, only the mode counts: its times change with its content.
      if (type === FOLDER) found.push([path, mode, 0, 0, 0, 0]);
      else found.push([path, mode, size, mtimeMs, ctimeMs, ino]);
      if (type === FOLDER) waiting.push(`${path}/`);
    }
  }
  found.sort(([a], [b]) => (a < b ? -1 : 1));
  const stamps = new Float64Array(found.length * FIELDS);
  for (const [row, [, ...fields]] of found.entries()) stamps.set(fields, row * FIELDS);
  return { paths: found.map(([path]) => path), stamps };
}

export interface StagingChanges {
  /** Rows of the present staging that are new, differ, or were changed in the guest. */
  send: number[];
  /** Paths that are gone. */
  remove: string[];
}

/** @param changed rows of `before` that are not as they were delivered */
export function compareStagings(before: Staging, now: Staging, changed: ReadonlySet<number>): StagingChanges {
  const send: number[] = [];
  const remove: string[] = [];
  let old = 0;
  for (const [row, path] of now.paths.entries()) {
    for (; old < before.paths.length && before.paths[old]! < path; old += 1) remove.push(before.paths[old]!);
    if (before.paths[old] !== path) send.push(row);
    else {
      if (changed.has(old) || !sameStamp(before, old, now, row)) send.push(row);
      old += 1;
    }
  }
  return { send, remove: [...remove, ...before.paths.slice(old)] };
}

function sameStamp(a: Staging, rowA: number, b: Staging, rowB: number): boolean {
  for (let field = 0; field < FIELDS; field += 1) if (at(a, rowA, field) !== at(b, rowB, field)) return false;
  return true;
}

/** What was delivered, with the identifier of the index that the guest has of it. */
export interface Delivered {
  id: string;
  staging: Staging;
}

const HEAD = 'CMSTAGE1';
const ID_LENGTH = 32;
const START = HEAD.length + ID_LENGTH + 8;

export function writeDelivered(file: string, { id, staging }: Delivered): void {
  const { paths, stamps } = staging;
  const start = Buffer.alloc(START);
  start.write(HEAD + id, 'latin1');
  const texts = Buffer.from(paths.join('\0'), 'latin1');
  start.writeUInt32LE(paths.length, HEAD.length + ID_LENGTH);
  start.writeUInt32LE(texts.length, HEAD.length + ID_LENGTH + 4);
  const columns = Buffer.from(stamps.buffer, stamps.byteOffset, stamps.byteLength);
  writeDurably(file, Buffer.concat([start, columns, texts]), { durable: false });
}

/** Returns null when the file is missing or damaged. */
export function readDelivered(file: string): Delivered | null {
  const bytes = unless(['ENOENT'], () => readFileSync(file));
  if (bytes === undefined || bytes.length < START || bytes.toString('latin1', 0, HEAD.length) !== HEAD) return null;
  const id = bytes.toString('latin1', HEAD.length, HEAD.length + ID_LENGTH);
  const count = bytes.readUInt32LE(HEAD.length + ID_LENGTH);
  const length = bytes.readUInt32LE(HEAD.length + ID_LENGTH + 4);
  const stamps = new Float64Array(count * FIELDS);
  if (bytes.length !== START + stamps.byteLength + length) return null;
  Buffer.from(stamps.buffer).set(bytes.subarray(START, START + stamps.byteLength));
  const texts = bytes.toString('latin1', START + stamps.byteLength);
  return { id, staging: { paths: texts === '' ? [] : texts.split('\0'), stamps } };
}
