import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import { type CollectionDeps, collectBlobs } from '../app/blob-collection.js';

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
