// Uploads of an account.
import type { StorageQuota } from '../access/app/storage-quota.js';
import { diskDegradations } from '../hosts/app/disk-degradations.js';
import { createUploads } from '../uploads/app/uploads.js';
import { createUploadRoutes } from '../uploads/http/api-uploads.js';
import { uploadWorkers } from '../uploads/workers/table.js';
import type { Platform } from './platform.js';

export function composeUploads(platform: Platform, { quota }: { readonly quota: StorageQuota }) {
  const uploads = createUploads({ ...platform, quota, room: platform.diskRoom });
  return {
    uploads,
    agentRoutes: createUploadRoutes({ uploads }),
    workers: uploadWorkers(platform),
    degradations: [() => diskDegradations(platform.diskRoom)],
  };
}
