// A thread that hashes the files whose names it is sent, one batch after another.
import { parentPort } from 'node:worker_threads';
import { hashFile } from './hash-file.js';

export interface HashAnswer {
  /** In the order of the batch; null for a file that is gone. */
  files: ({ sha256: string; size: number } | null)[];
}

parentPort?.on('message', (paths: string[]) => {
  const files = paths.map((path) => {
    const hashed = hashFile(path);
    return hashed && { sha256: hashed.sha256, size: hashed.size };
  });
  parentPort?.postMessage({ files } satisfies HashAnswer);
});
