// Expired uploads are removed; their contents stay until they are collected.
import type { Core } from '../../platform/app/core.js';
import type { ContentStore } from '../../platform/blobs/content-store.js';
import type { Contents } from '../../platform/blobs/contents.js';
import { uploadLife } from '../domain/upload.js';
import { noteGarbage } from '../store/blob-accounts.js';
import { deleteExpiredUploads, type RemovedUpload } from '../store/uploads.js';

export interface UploadExpiryDeps extends Pick<Core, 'store' | 'clock' | 'limits'> {
  readonly contents: Pick<Contents, 'manifests'>;
}

const AT_ONCE = 100;

/** Removes all expired uploads; returns how many. */
export async function expireUploads(deps: UploadExpiryDeps): Promise<number> {
  const { store, clock, limits, contents } = deps;
  let removed = 0;
  for (;;) {
    const gone = await store.transaction(async (tx) => {
      const uploads = await deleteExpiredUploads(tx, uploadLife(clock.now(), limits), AT_ONCE);
      for (const accountId of new Set(uploads.map((upload) => upload.accountId))) await noteGarbage(tx, accountId);
      return uploads;
    });
    await deleteManifests(contents.manifests, gone);
    removed += gone.length;
    if (gone.length < AT_ONCE) return removed;
  }
}

/** After the commit that removed the uploads: a manifest that is left behind is found by the sweep. */
export async function deleteManifests(manifests: ContentStore, uploads: readonly RemovedUpload[]): Promise<void> {
  for (const { accountId, manifestKey } of uploads) await manifests.delete(String(accountId), manifestKey);
}
