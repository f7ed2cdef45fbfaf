// The three content stores of a service. Their scopes are account ids.
import { join } from 'node:path';
import type { ContentStore } from './content-store.js';
import { createFsContentStore } from './fs-content-store.js';

export interface Contents {
  /** Files of uploads. */
  readonly blobs: ContentStore;
  /** Manifests of uploads. */
  readonly manifests: ContentStore;
  /** What builds left behind. */
  readonly artifacts: ContentStore;
}

/** @param root a folder of the service's data; made when missing */
export async function openContents(root: string): Promise<Contents> {
  const [blobs, manifests, artifacts] = await Promise.all([
    createFsContentStore(join(root, 'blobs')),
    createFsContentStore(join(root, 'manifests')),
    createFsContentStore(join(root, 'artifacts')),
  ]);
  return { blobs, manifests, artifacts };
}
