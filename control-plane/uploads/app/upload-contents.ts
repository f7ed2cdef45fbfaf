// A cache of the contents that uploads in use name. The stored manifest is authoritative.
import { endTurn } from '../../../shared/in-steps.js';
import type { ManifestChanges } from '../../../shared/protocol/index.js';
import type { Step } from '../../platform/app/turns.js';
import type { ContentStore } from '../../platform/blobs/content-store.js';
import type { Upload } from '../domain/upload.js';
import { contentSizes, readStoredFiles } from '../formats/manifest.js';

export interface UploadContents {
  /** Size of every distinct content, by SHA-256. */
  readonly sizes: ReadonlyMap<string, number>;
  look: Look;
  /** How its manifest differs from that of its base, while this is known. */
  readonly changes: ManifestChanges | null;
}

/** The last check of an upload's contents. Holds committed state only. */
export interface Look {
  /**
   * The account's count of deletions when all contents had been checked, or null. While the count is unchanged,
   * present contents are still present, and only the missing ones have to be checked. Null: none has been checked.
   */
  readonly deletions: number | null;
  /** What is found to be present is removed. */
  readonly missing: Set<string>;
}

export interface UploadContentsCache {
  of(upload: Upload, step?: Step): Promise<UploadContents>;
  keep(upload: Upload, contents: UploadContents): void;
  /** Returns what is cached, without reading the manifest. */
  cached(upload: Upload): UploadContents | null;
  /** Returns the most recently used upload of the project; null when none is cached. */
  latest(accountId: number, project: string): BaseUpload | null;
}

/** An upload that is likely to share most contents with the project's next one. */
export interface BaseUpload {
  readonly uploadId: string;
  readonly sizes: ReadonlyMap<string, number>;
}

/** Maximum number of distinct contents cached over all uploads, about 150 bytes each. */
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
    // The map is in order of last use.
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
    cached: ({ uploadId }) => kept.get(uploadId)?.contents ?? null,
    latest(accountId, project) {
      const uploadId = latest.get(projectOf({ accountId, project })) ?? '';
      const sizes = kept.get(uploadId)?.contents.sizes;
      return sizes ? { uploadId, sizes } : null;
    },
    async of(upload, step = endTurn) {
      const known = kept.get(upload.uploadId)?.contents;
      const contents = known ?? (await readContents(upload, step));
      keep(upload, contents);
      return contents;
    },
  };

  async function readContents(upload: Upload, step: Step): Promise<UploadContents> {
    const stored = await manifests.open(String(upload.accountId), upload.manifestKey);
    const sizes = await contentSizes(await readStoredFiles(stored, step), step);
    return { sizes, look: { deletions: null, missing: new Set() }, changes: null };
  }
}
