// The three content stores of the service. Their scopes are account ids.
import { join } from 'node:path';
import type { ContentStore, ListedContentStore } from './content-store.js';
import { type ContentStoreOptions, createFsContentStore } from './fs-content-store.js';
import { createObjectContents, type ObjectContentsOptions } from './object-contents.js';

export interface Contents<S extends ContentStore = ContentStore> {
  /** Files of uploads. */
  readonly blobs: S;
  /** Manifests of uploads. */
  readonly manifests: S;
  /** Artifacts of builds. */
  readonly artifacts: S;
}

/** @param root a folder in the service's data folder; created if missing */
export async function openContents(
  root: string,
  options: ContentStoreOptions = {},
): Promise<Contents<ListedContentStore>> {
  const [blobs, manifests, artifacts] = await Promise.all([
    createFsContentStore(join(root, 'blobs'), options),
    createFsContentStore(join(root, 'manifests'), options),
    createFsContentStore(join(root, 'artifacts'), options),
  ]);
  return { blobs, manifests, artifacts };
}

/** The contents in an object store. The first parts of their keys are the names of `Contents`. */
export function objectContents(options: Omit<ObjectContentsOptions, 'kind'>): Contents {
  const of = (kind: keyof Contents) => createObjectContents({ ...options, kind });
  return { blobs: of('blobs'), manifests: of('manifests'), artifacts: of('artifacts') };
}
