// The three content stores of the service. Their scopes are account ids.
import { join } from 'node:path';
import type { ContentStore } from './content-store.js';
import type { DiskRoom } from './disk-room.js';
import { createFsContentStore, type OnDamaged } from './fs-content-store.js';

export interface Contents {
  /** Files of uploads. */
  readonly blobs: ContentStore;
  /** Manifests of uploads. */
  readonly manifests: ContentStore;
  /** Artifacts of builds. */
  readonly artifacts: ContentStore;
}

/**
 * @param root a folder in the service's data folder; created if missing
 * @param options.onDamaged called for a file that cannot be listed; if omitted, listing fails at that file
 * @param options.room if omitted, contents may fill the disk
 */
export async function openContents(
  root: string,
  options: { onDamaged?: OnDamaged; room?: Pick<DiskRoom, 'check'> } = {},
): Promise<Contents> {
  const [blobs, manifests, artifacts] = await Promise.all([
    createFsContentStore(join(root, 'blobs'), options),
    createFsContentStore(join(root, 'manifests'), options),
    createFsContentStore(join(root, 'artifacts'), options),
  ]);
  return { blobs, manifests, artifacts };
}
