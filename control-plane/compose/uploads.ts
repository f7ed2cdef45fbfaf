// Uploads of an account.
import type { StorageQuota } from '../access/app/storage-quota.js';
import { diskDegradations } from '../hosts/app/disk-degradations.js';
import type { Transaction } from '../platform/store/sql.js';
import { createUploads } from '../uploads/app/uploads.js';
import { createUploadRoutes } from '../uploads/http/api-uploads.js';
import { shiftCollections } from '../uploads/store/open-spans.js';
import { uploadWorkers } from '../uploads/workers/table.js';
import type { Platform } from './platform.js';

export function composeUploads(platform: Platform, { quota }: { readonly quota: StorageQuota }) {
  const uploads = createUploads({ ...platform, quota, room: platform.diskRoom });
  const { clock, limits } = platform;
  return {
    uploads,
    // After a step forwards, contents that were just stored look old, so collection waits until they really are.
    shiftSpans: (tx: Transaction, ms: number) => {
      const stored = ms > 0 ? clock.now() + ms : 0;
      return shiftCollections(tx, { ms, atLeast: stored + 2 * limits.upload_total_ms - limits.blob_collection_ms });
    },
    apiRoutes: createUploadRoutes({ uploads }),
    workers: uploadWorkers(platform),
    degradations: [() => diskDegradations(platform.diskRoom)],
  };
}
