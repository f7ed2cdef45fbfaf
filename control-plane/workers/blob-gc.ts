import { type CollectionDeps, collectBlobs } from '../app/blob-collection.js';
import { periodWithin, type Worker } from './worker.js';

/** Deletes contents that no upload counts on, account by account. */
export function createBlobGc(deps: CollectionDeps): Worker {
  return {
    name: 'blob-gc',
    periodMs: periodWithin(deps.limits.blob_collection_ms),
    wakeOn: [],
    async run() {
      await collectBlobs(deps);
      return null;
    },
  };
}
