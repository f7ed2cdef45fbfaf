import { availableParallelism } from 'node:os';
import { type HashedFile, hashFile } from './hash-file.js';
import type { HashAnswer } from './hash-worker.js';

/** Below both, starting threads costs more than it saves. */
const INLINE_FILES = 1_000;
const INLINE_BYTES = 32 * 1024 * 1024;
/** Bytes of changed files kept in memory for sending, so that a small change is read once. */
const KEPT_BYTES = 8 * 1024 * 1024;
const BATCH_FILES = 128;
const LARGEST_POOL = 8;

export interface FileToHash {
  /** Absolute path. */
  path: string;
  /** Expected size, to judge the work. */
  size: number;
}

/**
 * Hashes many files, with threads if that is faster.
 *
 * @returns one entry per file in the same order, null for a file that is gone; few files bring their
 *   contents along
 */
export async function hashFiles(files: readonly FileToHash[]): Promise<(HashedFile | null)[]> {
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const threads = Math.min(availableParallelism(), LARGEST_POOL, Math.ceil(files.length / BATCH_FILES));
  if (threads > 1 && (files.length > INLINE_FILES || bytes > INLINE_BYTES)) return hashInThreads(files, threads);
  let left = KEPT_BYTES;
  return files.map((file) => {
    const hashed = hashFile(file.path, left);
    left -= hashed?.content?.length ?? 0;
    return hashed;
  });
}

async function hashInThreads(files: readonly FileToHash[], threads: number): Promise<(HashedFile | null)[]> {
  const { Worker } = await import('node:worker_threads');
  const results: (HashedFile | null)[] = new Array(files.length).fill(null);
  let next = 0;
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL('./hash-worker.js', import.meta.url));
      let start = 0;
      const dispatch = () => {
        start = next;
        if (start >= files.length) {
          void worker.terminate().then(() => resolve());
          return;
        }
        next = Math.min(files.length, start + BATCH_FILES);
        worker.postMessage(files.slice(start, next).map((file) => file.path));
      };
      worker.on('message', ({ files: hashed }: HashAnswer) => {
        hashed.forEach((file, at) => {
          results[start + at] = file && { ...file, content: null };
        });
        dispatch();
      });
      worker.on('error', reject);
      dispatch();
    });
  await Promise.all(Array.from({ length: threads }, work));
  return results;
}
