// Uploads as files of a workspace: list, find and remove; and the stored bytes that belong to uploads.
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Contents } from '../../platform/blobs/contents.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { NamedContents } from '../../platform/store/content-places.js';
import type { Queries } from '../../platform/store/sql.js';
import { type KeptUpload, type Upload, uploadLife } from '../domain/upload.js';
import { countBlobs, eachBlobKey, knownBlobKeys } from '../store/blobs.js';
import * as kept from '../store/kept-uploads.js';
import {
  countUploads,
  deleteUnusedUpload,
  eachManifestKey,
  findAnyUpload,
  findUpload,
  knownManifestKeys,
} from '../store/uploads.js';
import { collectSoon } from './blob-collection.js';
import { deleteManifests } from './upload-expiry.js';

export interface KeptUploadsDeps extends Pick<Core, 'store' | 'clock' | 'wake'> {
  readonly limits: Pick<Limits, 'upload_used_ms' | 'blob_collection_ms'>;
  readonly contents: Pick<Contents, 'manifests'>;
}

interface Workspace {
  readonly accountId: number;
  readonly workspaceId: string;
}

/** Newest first; `after` null starts with the newest. */
export function listKeptUploads(
  { store, limits }: Pick<KeptUploadsDeps, 'store' | 'limits'>,
  { accountId, workspaceId }: Workspace,
  page: { after: { createdAt: number; fileId: string } | null; limit: number },
  now: number,
): Promise<KeptUpload[]> {
  return kept.listKeptUploads(store, { accountId, workspaceId }, page, uploadLife(now, limits));
}

/** Returns the total size of the workspace's uploads in bytes. */
export function sumKeptUploads(
  { store, limits }: Pick<KeptUploadsDeps, 'store' | 'limits'>,
  { accountId, workspaceId }: Workspace,
  now: number,
): Promise<number> {
  return kept.sumKeptUploads(store, { accountId, workspaceId }, uploadLife(now, limits));
}

/** Returns the upload, or null for another workspace's upload and for an expired one. */
export async function findKeptUpload(
  { store, limits }: Pick<KeptUploadsDeps, 'store' | 'limits'>,
  { accountId, workspaceId }: Workspace,
  uploadId: string,
  now: number,
): Promise<Upload | null> {
  const found = await findUpload(store, { accountId, uploadId }, uploadLife(now, limits));
  return found?.workspaceId === workspaceId ? found : null;
}

/** Returns false, without removing anything, when a build that has not ended uses the upload. */
export async function removeUpload(
  { store, clock, wake, limits, contents }: KeptUploadsDeps,
  { accountId, uploadId }: Upload,
  also: InTransaction,
): Promise<boolean> {
  const removed = await store.transaction(async (tx) => {
    const deleted = await deleteUnusedUpload(tx, uploadId);
    if (!deleted) return null;
    await collectSoon(tx, accountId, { now: clock.now(), blobCollectionMs: limits.blob_collection_ms });
    await also(tx);
    tx.onCommit(() => wake.wake('garbage'));
    return deleted;
  });
  if (removed) await deleteManifests(contents.manifests, [removed]);
  return removed !== null;
}

/** Returns the workspace of an upload, also of an expired one; null when there is none. */
export async function workspaceOfUpload(q: Queries, uploadId: string): Promise<string | null> {
  return (await findAnyUpload(q, uploadId))?.workspaceId ?? null;
}

/** Returns those of the given keys of stored bytes that belong to uploads, by the kind of bytes. */
export function keysOfUploads(q: Queries) {
  return {
    blobs: (accountId: number, keys: readonly string[]) => knownBlobKeys(q, accountId, keys),
    manifests: (_accountId: number, keys: readonly string[]) => knownManifestKeys(q, keys),
  };
}

/** Returns all contents that uploads refer to, by the kind of bytes. */
export function contentsOfUploads(q: Queries): Readonly<Record<'blobs' | 'manifests', NamedContents>> {
  return {
    blobs: { count: () => countBlobs(q), pages: (limit) => eachBlobKey(q, limit) },
    manifests: { count: () => countUploads(q), pages: (limit) => eachManifestKey(q, limit) },
  };
}
