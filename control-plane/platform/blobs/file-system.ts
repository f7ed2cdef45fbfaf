// Shared helpers of the file-system adapters in this folder.

import { open } from 'node:fs/promises';
import { isErrno } from '../../../shared/errno.js';
import { BlobError } from './blob-error.js';

/** Returns BlobError `failed` for an error of the file system (full, read-only, I/O), and any other error unchanged. */
export function storageError(error: unknown): unknown {
  const failedCall = error instanceof Error && 'syscall' in error && 'code' in error;
  return failedCall ? new BlobError('failed', 'the storage of contents failed', { cause: error }) : error;
}

/** Converts file system errors of the store to BlobError. Errors of the source stream do not pass through here. */
export async function storing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storageError(error);
  }
}

/** Makes the entries of a folder durable: otherwise a renamed file may be lost after a power loss. */
export async function syncDirectory(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** For `.catch`: returns null if the file does not exist, and rethrows any other error. */
export function nullIfMissing(error: unknown): null {
  if (isErrno(error, 'ENOENT')) return null;
  throw error;
}

/**
 * Runs `work` on all items, at most `width` concurrently. After a failure no further items are started; items in flight
 * are awaited, and the first error is thrown.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const worker = async () => {
    for (let item = items[next++]; item !== undefined && failures.length === 0; item = items[next++]) {
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
