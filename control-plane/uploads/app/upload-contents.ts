// The contents that an upload names, kept for the uploads in use. The stored manifest is the truth.
import type { ContentStore } from '../../platform/blobs/content-store.js';
import type { Upload } from '../domain/upload.js';
import { contentSizes, readStoredManifest } from '../formats/manifest.js';

export interface UploadContents {
  /** Size of every distinct content, by SHA-256. */
  readonly sizes: ReadonlyMap<string, number>;
  look: Look;
}

/** The last look at what an upload names. Set only to what is committed. */
export interface Look {
  /**
   * The account's count of deletions when all contents had been looked at, or null when none has been. While it is
   * the same, what was there is there still, and only what was missing has to be asked for.
   */
  readonly deletions: number | null;
  readonly missing: ReadonlySet<string>;
}

export interface UploadContentsCache {
  of(upload: Upload): Promise<UploadContents>;
  keep(upload: Upload, contents: UploadContents): void;
  /** The one of the project that was used last; null when none is kept. */
  latest(accountId: number, project: string): BaseUpload | null;
}

/** An upload that is likely to hold most of what the project's next one names. */
export interface BaseUpload {
  readonly uploadId: string;
  readonly sizes: ReadonlyMap<string, number>;
}

/** Distinct contents kept over all uploads, about 150 bytes each. */
const KEPT = 300_000;

export function createUploadContents(manifests: ContentStore): UploadContentsCache {
  const kept = new Map<string, { contents: UploadContents; project: string }>();
  const latest = new Map<string, string>();
  let total = 0;

  const projectOf = (of: { accountId: number; project: string }) => `${of.accountId}/${of.project}`;
  const forget = (uploadId: string) => {
    const entry = kept.get(uploadId);
    if (!entry) return;
    kept.delete(uploadId);
    total -= entry.contents.sizes.size;
    if (latest.get(entry.project) === uploadId) latest.delete(entry.project);
  };
  const keep = (upload: Upload, contents: UploadContents) => {
    const project = projectOf(upload);
    // Last in the map is what was used last.
    forget(upload.uploadId);
    kept.set(upload.uploadId, { contents, project });
    latest.set(project, upload.uploadId);
    total += contents.sizes.size;
    for (const oldest of kept.keys()) {
      if (total <= KEPT || oldest === upload.uploadId) break;
      forget(oldest);
    }
  };

  return {
    keep,
    latest(accountId, project) {
      const uploadId = latest.get(projectOf({ accountId, project })) ?? '';
      const sizes = kept.get(uploadId)?.contents.sizes;
      return sizes ? { uploadId, sizes } : null;
    },
    async of(upload) {
      const known = kept.get(upload.uploadId)?.contents;
      const contents = known ?? (await readContents(upload));
      keep(upload, contents);
      return contents;
    },
  };

  async function readContents(upload: Upload): Promise<UploadContents> {
    const stored = await manifests.open(String(upload.accountId), upload.manifestKey);
    const { files } = await readStoredManifest(stored);
    const sizes = contentSizes(files);
    return { sizes, look: { deletions: null, missing: new Set(sizes.keys()) } };
  }
}
