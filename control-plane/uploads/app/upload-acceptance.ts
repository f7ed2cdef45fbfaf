// Acceptance of an upload: its manifest is stored, and from then on no content that it names is collected.
import type { Clock } from '../../../shared/clock.js';
import { countOf } from '../../../shared/count.js';
import type { SourceManifest } from '../../../shared/protocol/index.js';
import type { StorageQuota } from '../../access/app/storage-quota.js';
import { requireLiveWorkspace } from '../../access/app/workspaces.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { type ContentStore, put } from '../../platform/blobs/content-store.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import type { Upload } from '../domain/upload.js';
import { encodeManifest } from '../formats/manifest.js';
import { countUpload, readBlobCounters } from '../store/blob-accounts.js';
import { presentBlobs } from '../store/blobs.js';
import { findAnyUpload, insertUpload } from '../store/uploads.js';
import type { BaseUpload } from './upload-contents.js';

export interface AcceptanceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly manifests: ContentStore;
  readonly quota: StorageQuota;
}

export interface UploadRequest {
  readonly project: string;
  readonly manifest: SourceManifest;
  readonly totalBytes: number;
  /** Size of every distinct content, by SHA-256. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Called in the transaction that inserts the upload. */
  readonly accepted?: InTransaction<Upload> | undefined;
}

export interface AcceptedUpload {
  readonly upload: Upload;
  /** In manifest order. */
  readonly missing: readonly string[];
}

export interface Acceptance extends AcceptedUpload {
  /** The account's count of deletions when the missing contents were determined. */
  readonly deletions: number;
}

/**
 * The missing contents are determined before the transaction; the result is valid only if nothing of the account was
 * deleted in between, otherwise it is determined again inside. Collection in turn deletes nothing when an upload was
 * accepted since it checked. So no upload relies on a content that is being deleted.
 *
 * @throws ApiError `invalid_manifest` when a content is stored with a different size than in the manifest;
 *   `storage_quota_exceeded` when its missing contents, or its manifest, do not fit; `not_found` when the workspace
 *   was removed while it arrived
 * @param base a complete upload whose contents need no check: all of them are present
 */
export async function acceptUpload(
  deps: AcceptanceDeps,
  caller: Caller,
  request: UploadRequest,
  base: BaseUpload | null,
): Promise<Acceptance> {
  const { store, quota, manifests } = deps;
  const { manifest, sizes } = request;
  const accountId = caller.account.id;
  const owner = { accountId, workspaceId: caller.workspaceId };
  const bytes = encodeManifest(manifest);
  const reservation = quota.begin(owner, 'contents');
  try {
    await reservation.take(bytes.length);
    const before = await readBlobCounters(store, accountId);
    const [{ key, sha256 }, likely] = await Promise.all([
      put(manifests, String(accountId), once(bytes)),
      unknownTo(store, base, sizes).then((wanted) => lookUp(store, accountId, wanted)),
    ]);
    try {
      const missing = likely.missing.reduce((sum, one) => sum + (sizes.get(one) ?? 0), 0);
      await quota.check(owner, 'contents', missing);
      const found = { ...likely, deletions: before.deletions };
      const stored = { key, sha256, bytes: bytes.length };
      return await reservation.store(bytes.length, () => record(deps, caller, request, stored, found));
    } catch (error) {
      await manifests.delete(String(accountId), key);
      throw error;
    }
  } finally {
    reservation.release();
  }
}

/** @param found the missing contents, valid while the account's count of deletions is unchanged */
function record(
  { store, clock, limits }: AcceptanceDeps,
  caller: Caller,
  { project, manifest, totalBytes, sizes, accepted }: UploadRequest,
  stored: { readonly key: string; readonly sha256: string; readonly bytes: number },
  found: Lookup & { readonly deletions: number },
): Promise<Acceptance> {
  const { workspaceId } = caller;
  const accountId = caller.account.id;
  return store.transaction(async (tx) => {
    await requireLiveWorkspace(tx, caller);
    const counters = await countUpload(tx, accountId);
    const same = counters.deletions === found.deletions;
    const { missing, resized } = same ? found : await lookUp(tx, accountId, sizes);
    if (resized[0]) throw wrongSize(manifest, resized[0]);
    const now = clock.now();
    const upload: Upload = {
      uploadId: newId('up'),
      accountId,
      workspaceId,
      seq: counters.uploadsAccepted,
      project,
      manifestSha256: stored.sha256,
      manifestKey: stored.key,
      files: manifest.files.length,
      totalBytes,
      ready: missing.length === 0,
      createdAt: now,
    };
    const expiresAt = now + limits.upload_unused_ms;
    await insertUpload(tx, upload, { expiresAt, manifestBytes: stored.bytes });
    await accepted?.(tx, upload);
    return { upload, missing, deletions: counters.deletions };
  });
}

async function unknownTo(store: Store, base: BaseUpload | null, sizes: Sizes): Promise<Sizes> {
  const upload = base && (await findAnyUpload(store, base.uploadId));
  if (!base || !upload?.ready) return sizes;
  return new Map([...sizes].filter(([sha256, size]) => base.sizes.get(sha256) !== size));
}

/** Size of each content, by SHA-256. */
type Sizes = ReadonlyMap<string, number>;

interface Lookup {
  /** In the order of the sizes. A content that is stored with a different size can never become present. */
  readonly missing: readonly string[];
  readonly resized: readonly { readonly sha256: string; readonly storedSize: number }[];
}

async function lookUp(db: Queries, accountId: number, sizes: Sizes): Promise<Lookup> {
  const present = await presentBlobs(db, accountId, sizes.keys());
  const missing = [...sizes].filter(([sha256, size]) => present.get(sha256) !== size);
  const resized = missing.flatMap(([sha256]) => {
    const storedSize = present.get(sha256);
    return storedSize === undefined ? [] : [{ sha256, storedSize }];
  });
  return { missing: missing.map(([sha256]) => sha256), resized };
}

/** Returns the contents that the account does not have with that size. */
export async function missingOf(db: Queries, accountId: number, sizes: Sizes): Promise<readonly string[]> {
  return (await lookUp(db, accountId, sizes)).missing;
}

function wrongSize({ files }: SourceManifest, { sha256, storedSize }: Lookup['resized'][number]): ApiError {
  const at = files.findIndex((file) => file.sha256 === sha256);
  const path = `files[${at}].size`;
  const message = `the content ${sha256} has ${countOf(storedSize, 'byte')}, not ${files[at]?.size}`;
  return new ApiError('invalid_manifest', {
    message: `The manifest's ${path} is not valid: ${message}.`,
    detail: { fields: [{ path, message }] },
  });
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield bytes;
}
