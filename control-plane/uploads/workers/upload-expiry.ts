import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import { expireUploads, type UploadExpiryDeps } from '../app/upload-expiry.js';

/** Removes uploads whose life is over. */
export function createUploadExpiry(deps: UploadExpiryDeps): Worker {
  return {
    name: 'upload-expiry',
    periodMs: periodWithin(deps.limits.upload_unused_ms),
    wakeOn: [],
    async run() {
      await expireUploads(deps);
      return null;
    },
  };
}
