// Uploads as files that a workspace keeps: listed, found, removed; and the bytes that belong to some upload.
import type { Contents } from '../../platform/blobs/contents.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import { type KeptUpload, type Upload, uploadLife } from '../domain/upload.js';
import { noteGarbage } from '../store/blob-accounts.js';
import { knownBlobKeys } from '../store/blobs.js';
import * as kept from '../store/kept-uploads.js';
import { deleteUnusedUpload, findAnyUpload, findUpload, knownManifestKeys } from '../store/uploads.js';
import { deleteManifests } from './upload-expiry.js';

export interface KeptUploadsDeps {
  readonly store: Store;
  readonly limits: Pick<Limits, 'upload_used_ms'>;
  readonly contents: Pick<Contents, 'manifests'>;
}

interface Workspace {
  readonly accountId: number;
  readonly workspaceId: string;
}

/** Newest first; `after` null begins with the newest. */
export function listKeptUploads(
  { store, limits }: Pick<KeptUploadsDeps, 'store' | 'limits'>,
  { accountId, workspaceId }: Workspace,
  page: { after: { createdAt: number; fileId: string } | null; limit: number },
  now: number,
): Promise<KeptUpload[]> {
  return kept.listKeptUploads(store, { accountId, workspaceId }, page, uploadLife(now, limits));
}

/** Bytes of all uploads that the workspace keeps. */
export function sumKeptUploads(
  { store, limits }: Pick<KeptUploadsDeps, 'store' | 'limits'>,
  { accountId, workspaceId }: Workspace,
  now: number,
): Promise<number> {
  return kept.sumKeptUploads(store, { accountId, workspaceId }, uploadLife(now, limits));
}

/** Returns the upload, or null for that of another workspace and for one whose life is over. */
export async function findKeptUpload(
  { store, limits }: Pick<KeptUploadsDeps, 'store' | 'limits'>,
  { accountId, workspaceId }: Workspace,
  uploadId: string,
  now: number,
): Promise<Upload | null> {
  const found = await findUpload(store, { accountId, uploadId }, uploadLife(now, limits));
  return found?.workspaceId === workspaceId ? found : null;
}

/** Returns false when a build that has not ended uses the upload: then nothing is removed. */
export async function removeUpload(
  { store, contents }: KeptUploadsDeps,
  { accountId, uploadId }: Upload,
): Promise<boolean> {
  const removed = await store.transaction(async (tx) => {
    await noteGarbage(tx, accountId);
    return deleteUnusedUpload(tx, uploadId);
  });
  if (removed) await deleteManifests(contents.manifests, [removed]);
  return removed !== null;
}

/** The workspace of an upload, also of one whose life is over; null when there is none. */
export async function workspaceOfUpload(q: Queries, uploadId: string): Promise<string | null> {
  return (await findAnyUpload(q, uploadId))?.workspaceId ?? null;
}

/** Those of the keys of stored bytes for which uploads have a row, by the kind of bytes. */
export function keysOfUploads(q: Queries) {
  return {
    blobs: (accountId: number, keys: readonly string[]) => knownBlobKeys(q, accountId, keys),
    manifests: (_accountId: number, keys: readonly string[]) => knownManifestKeys(q, keys),
  };
}
