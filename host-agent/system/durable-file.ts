import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes the file atomically and durably, also across power failures. Throws errors of the file system (such as
 * ENOSPC); the old content then stays.
 */
export function writeDurably(file: string, text: string, mode = 0o600): void {
  const fresh = `${file}.new`;
  const fd = openSync(fresh, 'w', mode);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(fresh, file);
  syncFolder(path.dirname(file));
}

/** Makes changes of names in a folder (creations, renames) survive a power failure. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Returns the parsed JSON of a file, or undefined when there is no such file or it is not JSON. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
