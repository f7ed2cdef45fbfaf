// Deletes files that no row refers to, left by a process killed between writing the file and its row. Objects are deleted
// by `platform/app/object-collection.ts`.
import type { Core } from '../../platform/app/core.js';
import type { KnownKeys } from '../../platform/app/object-collection.js';
import { isListed, type ListedContentStore } from '../../platform/blobs/content-store.js';
import type { Contents } from '../../platform/blobs/contents.js';
import type { NamedContents } from '../../platform/store/content-places.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import { contentsOfUploads, keysOfUploads } from '../../uploads/app/kept-uploads.js';
import { countArtifacts, eachArtifactKey, knownArtifactKeys } from '../store/artifacts.js';

export interface OrphanSweepDeps extends Pick<Core, 'store'> {
  readonly contents: Contents;
}

const AT_ONCE = 500;

/**
 * Deletes the files and returns how many.
 *
 * @param before younger files may belong to a request in flight that has not written its row yet; ms since the epoch
 */
export async function sweepOrphans(deps: OrphanSweepDeps, before: number): Promise<number> {
  const { store } = deps;
  const { blobs, manifests, artifacts } = deps.contents;
  const uploads = keysOfUploads(store);
  let removed = 0;
  for (const [contents, known] of [
    [blobs, uploads.blobs],
    [manifests, uploads.manifests],
    [artifacts, (_: number, keys: string[]) => knownArtifactKeys(store, keys)],
  ] as const) {
    if (!isListed(contents)) continue;
    removed += await contents.cleanStaging(before);
    for await (const { scope, keys } of oldKeys(contents, before)) {
      const present = await known(Number(scope), keys);
      // After a power loss a row deleted just now could reappear, but its content could not.
      await store.durable();
      for (const key of keys) if (!present.has(key) && (await contents.delete(scope, key))) removed++;
    }
  }
  return removed;
}

async function* oldKeys(
  contents: ListedContentStore,
  before: number,
): AsyncGenerator<{ scope: string; keys: string[] }> {
  let scope = '';
  let keys: string[] = [];
  for await (const entry of contents.list()) {
    if (keys.length > 0 && (entry.scope !== scope || keys.length === AT_ONCE)) {
      yield { scope, keys };
      keys = [];
    }
    scope = entry.scope;
    if (entry.storedAt < before) keys.push(entry.key);
  }
  if (keys.length > 0) yield { scope, keys };
}

/** Returns, by the first part of an object's key, which keys of contents rows refer to. */
export function knownKeys(store: Store): Readonly<Record<keyof Contents, KnownKeys>> {
  return { ...keysOfUploads(store), artifacts: (_accountId, keys) => knownArtifactKeys(store, keys) };
}

/** Returns, by the first part of an object's key, all contents that rows refer to. */
export function namedContents(q: Queries): Readonly<Record<keyof Contents, NamedContents>> {
  const artifacts = { count: () => countArtifacts(q), pages: (limit: number) => eachArtifactKey(q, limit) };
  return { ...contentsOfUploads(q), artifacts };
}
