// The contents that an upload names, kept for the uploads in use. The stored manifest is the truth.
import type { ContentStore } from '../blobs/content-store.js';
import { contentSizes, readStoredManifest } from '../blobs/manifest.js';
import type { Upload } from '../domain/upload.js';

export interface UploadContents {
  /** Size of every distinct content, by SHA-256. */
  readonly sizes: ReadonlyMap<string, number>;
  /**
   * Contents that were missing when last looked at. What is once present stays present while the upload lives,
   * so no others have to be asked for.
   */
  missing: ReadonlySet<string>;
}

export interface UploadContentsCache {
  of(upload: Upload): Promise<UploadContents>;
  keep(uploadId: string, contents: UploadContents): void;
}

/** Distinct contents kept over all uploads, about 150 bytes each. */
const KEPT = 300_000;

export function createUploadContents(manifests: ContentStore): UploadContentsCache {
  const kept = new Map<string, UploadContents>();
  let total = 0;

  const keep = (uploadId: string, contents: UploadContents) => {
    total += contents.sizes.size - (kept.get(uploadId)?.sizes.size ?? 0);
    // Last in the map is what was used last.
    kept.delete(uploadId);
    kept.set(uploadId, contents);
    for (const [oldest, { sizes }] of kept) {
      if (total <= KEPT || oldest === uploadId) break;
      kept.delete(oldest);
      total -= sizes.size;
    }
  };

  return {
    keep,
    async of(upload) {
      let contents = kept.get(upload.uploadId);
      if (!contents) {
        const stored = await manifests.open(String(upload.accountId), upload.manifestKey);
        const { files } = await readStoredManifest(stored);
        const sizes = contentSizes(files);
        contents = { sizes, missing: new Set(sizes.keys()) };
      }
      keep(upload.uploadId, contents);
      return contents;
    },
  };
}
