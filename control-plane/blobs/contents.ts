// The three content stores of a service. Their scopes are account ids.
import { join } from 'node:path';
import type { ContentStore } from './content-store.js';
import { createFsContentStore, type OnDamaged } from './fs-content-store.js';

export interface Contents {
  /** Files of uploads. */
  readonly blobs: ContentStore;
  /** Manifests of uploads. */
  readonly manifests: ContentStore;
  /** What builds left behind. */
  readonly artifacts: ContentStore;
}

/**
 * @param root a folder of the service's data; made when missing
 * @param onDamaged told of a file that cannot be listed; without it the list fails there
 */
export async function openContents(root: string, onDamaged?: OnDamaged): Promise<Contents> {
  const damage = onDamaged ? { onDamaged } : {};
  const [blobs, manifests, artifacts] = await Promise.all([
    createFsContentStore(join(root, 'blobs'), damage),
    createFsContentStore(join(root, 'manifests'), damage),
    createFsContentStore(join(root, 'artifacts'), damage),
  ]);
  return { blobs, manifests, artifacts };
}
