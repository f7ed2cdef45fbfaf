import { closeSync, constants, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isErrno } from './errno.js';

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
const FRESH = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;

/**
 * Replaces the file: readers see the old content or the new, never a part. Unless `durable` is false the new content
 * also survives a power loss once this returns. Throws the file system's errors (ENOSPC among others); the old content
 * then stays. A link in the place of the unfinished file is refused: root writes into folders of other users.
 */
export function writeDurably(
  file: string,
  content: string | Buffer,
  { mode = 0o600, durable = true }: { mode?: number; durable?: boolean } = {},
): void {
  const fresh = `${file}.new`;
  const fd = openSync(fresh, FRESH, mode);
  try {
    writeFileSync(fd, content);
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(fresh, file);
  if (durable) syncFolder(path.dirname(file));
}

/** Makes the names in a folder (creations, renames) survive power loss. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Returns the parsed JSON of a file, or undefined if the file is missing or is not JSON. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}
