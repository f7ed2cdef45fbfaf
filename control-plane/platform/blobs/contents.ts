// The three content stores of the service. Their scopes are account ids.
import { join } from 'node:path';
import type { ContentStore } from './content-store.js';
import { type ContentStoreOptions, createFsContentStore } from './fs-content-store.js';

export interface Contents {
  /** Files of uploads. */
  readonly blobs: ContentStore;
  /** Manifests of uploads. */
  readonly manifests: ContentStore;
  /** Artifacts of builds. */
  readonly artifacts: ContentStore;
}

/** @param root a folder in the service's data folder; created if missing */
export async function openContents(root: string, options: ContentStoreOptions = {}): Promise<Contents> {
  const [blobs, manifests, artifacts] = await Promise.all([
    createFsContentStore(join(root, 'blobs'), options),
    createFsContentStore(join(root, 'manifests'), options),
    createFsContentStore(join(root, 'artifacts'), options),
  ]);
  return { blobs, manifests, artifacts };
}
