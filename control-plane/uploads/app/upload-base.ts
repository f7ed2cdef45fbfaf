// A manifest that names only what differs from an earlier upload, its base.
import { buffer } from 'node:stream/consumers';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { ManifestChanges } from '../../../shared/protocol/index.js';
import type { Step } from '../../platform/app/turns.js';
import type { ContentStore } from '../../platform/blobs/content-store.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Upload } from '../domain/upload.js';
import { type ChangedFile, changedSizes, changeManifest } from '../formats/changed-manifest.js';
import { FormatError } from '../formats/format-error.js';
import type { ReadManifest } from '../formats/manifest.js';
import type { UploadRequest } from './upload-acceptance.js';
import type { BaseUpload, UploadContentsCache } from './upload-contents.js';

export interface BaseDeps {
  readonly manifests: ContentStore;
  readonly named: UploadContentsCache;
  readonly maxTotalBytes: number;
  /** Throws upload_not_found. */
  findOwned(caller: Caller, uploadId: string): Promise<Upload>;
}

/** An upload that is its base with some files changed. */
export interface ChangedUpload {
  readonly request: UploadRequest;
  readonly base: BaseUpload;
  readonly changes: ManifestChanges;
}

/**
 * Returns the request for the whole folder.
 *
 * @throws ApiError `upload_not_found`: the client sends the whole manifest; `invalid_manifest`
 * @throws FormatError `manifest`, `too_large`
 */
export async function onBase(
  deps: BaseDeps,
  caller: Caller,
  { project, manifest, base: baseId }: ReadManifest & { base: string },
  step: Step,
): Promise<ChangedUpload> {
  const base = await completeBase(deps, caller, baseId);
  if (base.project !== project) {
    throw fieldError('invalid_manifest', 'base', fieldProblem('refused', { reason: `it is of ${base.project}` }), {
      message: `The base ${baseId} is an upload of another project, ${base.project}.`,
    });
  }
  return changeBase(deps, caller, base, manifest.files, step);
}

/** @throws ApiError `upload_not_found` */
export async function completeBase({ findOwned }: BaseDeps, caller: Caller, baseId: string): Promise<Upload> {
  const base = await findOwned(caller, baseId);
  if (!base.ready) throw new ApiError('upload_not_found', { message: `The base ${baseId} is not complete.` });
  return base;
}

/** @throws FormatError `manifest`, `too_large` */
export async function changeBase(
  deps: BaseDeps,
  caller: Caller,
  base: Upload,
  files: readonly ChangedFile[],
  step: Step,
): Promise<ChangedUpload> {
  const [stored, { sizes: sizesBefore }] = await readBase(deps, caller, base, step);
  await step();
  const changed = await changeManifest(stored, files, step);
  const sizes = await changedSizes(sizesBefore, changed, files, step);
  const totalBytes = base.totalBytes + bytesOf(files) - bytesOf(changed.replaced);
  if (totalBytes > deps.maxTotalBytes) {
    throw new FormatError('too_large', `The files have more than ${deps.maxTotalBytes} bytes.`);
  }
  const stays = { pieces: changed.pieces, files: base.files };
  const manifest = { files: [...changed.rows], links: [], directories: [] };
  return {
    request: { project: base.project, manifest, stored: stays, totalBytes, sizes },
    base: { uploadId: base.uploadId, sizes: sizesBefore },
    changes: { since: base.manifestSha256, files: [...changed.rows] },
  };
}

async function readBase({ manifests, named, findOwned }: BaseDeps, caller: Caller, base: Upload, step: Step) {
  try {
    const stored = manifests.open(String(base.accountId), base.manifestKey).then(buffer);
    return await Promise.all([stored, named.of(base, step)]);
  } catch (error) {
    // It may have expired meanwhile.
    await findOwned(caller, base.uploadId);
    throw error;
  }
}

const bytesOf = (files: readonly { size: number }[]) => files.reduce((sum, { size }) => sum + size, 0);
