// Acceptance of an upload: its manifest is stored, and from then on no content that it names is collected.

import { countOf } from '../../../shared/count.js';
import { endTurn, inGroups } from '../../../shared/in-steps.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { SourceManifest } from '../../../shared/protocol/index.js';
import type { StorageQuota } from '../../access/app/storage-quota.js';
import { requireLiveWorkspace } from '../../access/app/workspaces.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Step } from '../../platform/app/turns.js';
import { type ContentStore, put } from '../../platform/blobs/content-store.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import { invalidField } from '../../platform/domain/invalid-field.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import type { Upload } from '../domain/upload.js';
import { encodeManifest } from '../formats/manifest.js';
import { countUpload, readBlobCounters } from '../store/blob-accounts.js';
import { presentBlobs } from '../store/blobs.js';
import { findAnyUpload, insertUpload } from '../store/uploads.js';
import type { BaseUpload } from './upload-contents.js';

export interface AcceptanceDeps extends Pick<Core, 'store' | 'clock' | 'limits'> {
  readonly manifests: ContentStore;
  readonly quota: StorageQuota;
}

export interface UploadRequest {
  readonly project: string;
  /** As the client sent it; with a base, the files that differ. */
  readonly manifest: SourceManifest;
  /** The stored form of the whole manifest, and how many files it has; default: of `manifest`. */
  readonly stored?: { readonly pieces: readonly Buffer[]; readonly files: number };
  readonly totalBytes: number;
  /** Size of every distinct content, by SHA-256. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Called in the transaction that inserts the upload. */
  readonly accepted?: InTransaction<Upload> | undefined;
}

export interface Acceptance {
  readonly upload: Upload;
  /** In manifest order. Belongs to the caller. */
  readonly missing: Set<string>;
  /** Of the missing contents. */
  readonly missingBytes: number;
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
  step: Step = endTurn,
): Promise<Acceptance> {
  const { store, quota, manifests } = deps;
  const { manifest, sizes } = request;
  const accountId = caller.account.id;
  const owner = { accountId, workspaceId: caller.workspaceId };
  const pieces = request.stored?.pieces ?? (await encodeManifest(manifest, step));
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const reservation = quota.begin(owner, 'contents');
  try {
    await reservation.take(bytes);
    const before = await readBlobCounters(store, accountId);
    const present = await known(store, base);
    const [{ key, sha256 }, likely] = await Promise.all([
      put(manifests, String(accountId), each(pieces)),
      lookUp(store, accountId, sizes, present, step),
    ]);
    try {
      await quota.check(owner, 'contents', likely.missingBytes);
      const found = { ...likely, deletions: before.deletions };
      const stored = { key, sha256, bytes };
      const recorded = await reservation.store(bytes, () => record(deps, caller, request, stored, found));
      const { missing, missingBytes } = recorded.isKnown
        ? likely
        : await lookUp(store, accountId, sizes, new Map(), step);
      return { ...recorded, missing, missingBytes };
    } catch (error) {
      await manifests.delete(String(accountId), key);
      throw error;
    }
  } finally {
    reservation.release();
  }
}

interface Recorded extends Pick<Acceptance, 'upload' | 'deletions'> {
  /** False: contents were deleted while they were looked up. */
  readonly isKnown: boolean;
}

/** @param found the missing contents, valid while the account's count of deletions is unchanged */
function record(
  { store, clock, limits }: AcceptanceDeps,
  caller: Caller,
  { project, manifest, stored: whole, totalBytes, accepted }: UploadRequest,
  stored: { readonly key: string; readonly sha256: string; readonly bytes: number },
  found: Lookup & { readonly deletions: number },
): Promise<Recorded> {
  const { workspaceId } = caller;
  const accountId = caller.account.id;
  return store.transaction(async (tx) => {
    await requireLiveWorkspace(tx, caller);
    const counters = await countUpload(tx, accountId);
    // Nothing that an accepted upload names is deleted: what is missing is then determined after the transaction.
    const isKnown = counters.deletions === found.deletions;
    const { missing, resized } = found;
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
      files: whole?.files ?? manifest.files.length,
      totalBytes,
      ready: isKnown && missing.size === 0,
      createdAt: now,
    };
    const expiresAt = now + limits.upload_unused_ms;
    await insertUpload(tx, upload, { expiresAt, manifestBytes: stored.bytes });
    await accepted?.(tx, upload);
    return { upload, isKnown, deletions: counters.deletions };
  });
}

/** Returns the contents of a complete upload, which are all present. */
async function known(store: Store, base: BaseUpload | null): Promise<Sizes> {
  const upload = base && (await findAnyUpload(store, base.uploadId));
  return base && upload?.ready ? base.sizes : new Map();
}

/** Size of each content, by SHA-256. */
type Sizes = ReadonlyMap<string, number>;

interface Lookup {
  /** In the order of the sizes. A content that is stored with a different size can never become present. */
  readonly missing: Set<string>;
  readonly missingBytes: number;
  readonly resized: readonly { readonly sha256: string; readonly storedSize: number }[];
}

/** @param present contents that need no check */
async function lookUp(db: Queries, accountId: number, sizes: Sizes, present: Sizes, step: Step): Promise<Lookup> {
  const missing = new Set<string>();
  let missingBytes = 0;
  const resized: { sha256: string; storedSize: number }[] = [];
  for await (const group of inGroups(sizes, CHECKED_AT_ONCE, step)) {
    const unknown = group.filter(([sha256, size]) => present.get(sha256) !== size);
    const stored = await presentBlobs(
      db,
      accountId,
      unknown.map(([sha256]) => sha256),
    );
    for (const [sha256, size] of unknown) {
      const storedSize = stored.get(sha256);
      if (storedSize === size) continue;
      missing.add(sha256);
      missingBytes += size;
      if (storedSize !== undefined) resized.push({ sha256, storedSize });
    }
  }
  return { missing, missingBytes, resized };
}

/** Contents looked up in one turn of the event loop. */
const CHECKED_AT_ONCE = 250;

function wrongSize({ files }: SourceManifest, { sha256, storedSize }: Lookup['resized'][number]): ApiError {
  const at = files.findIndex((file) => file.sha256 === sha256);
  const path = `files[${at}].size`;
  const message = `the content ${sha256} has ${countOf(storedSize, 'byte')}, not ${files[at]?.size}`;
  return new ApiError('invalid_manifest', {
    message: `The manifest's ${path} is not valid: ${message}.`,
    detail: { fields: [invalidField(path, fieldProblem('refused', { reason: message }))] },
  });
}

async function* each(pieces: readonly Buffer[]): AsyncGenerator<Buffer, void, undefined> {
  yield* pieces;
}
