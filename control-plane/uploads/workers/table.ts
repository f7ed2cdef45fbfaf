// The background workers of uploads.
import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import { type CollectionDeps, collectBlobs } from '../app/blob-collection.js';
import { expireUploads, type UploadExpiryDeps } from '../app/upload-expiry.js';

export function uploadWorkers(deps: CollectionDeps & UploadExpiryDeps): readonly Worker[] {
  const { limits } = deps;
  return [
    {
      name: 'upload-expiry',
      periodMs: periodWithin(limits.upload_unused_ms),
      run: async () => void (await expireUploads(deps)),
    },
    {
      name: 'blob-gc',
      periodMs: periodWithin(limits.blob_collection_ms),
      wakeOn: ['garbage'],
      run: async () => (await collectBlobs(deps)).dueAt,
    },
  ];
}
