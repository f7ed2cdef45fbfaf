// A folder sent as one gzip-compressed tar.
import type { Readable } from 'node:stream';
import { readTar } from '../../../shared/archive/tar-reader.js';
import type { SourceFile, SourceManifest } from '../../../shared/protocol/index.js';
import type { StorageOwner } from '../../access/app/storage-quota.js';
import type { Step } from '../../platform/app/turns.js';
import { type BlobIntakeDeps, beginIntake } from './blob-intake.js';
import { readBody } from './upload-body.js';
import type { UploadBounds } from './upload-bounds.js';

/**
 * Stores the files of an archive and returns its manifest. Until an upload with that manifest is accepted, the
 * contents are kept like those of an unused upload.
 *
 * @throws ApiError `invalid_gzip`, `invalid_tar`, `empty_upload`, `too_many_files`, `upload_too_large`, `storage_quota_exceeded`; BlobError
 *   `no_space`, `failed`
 */
export async function receiveTar(
  deps: BlobIntakeDeps & { readonly bounds: UploadBounds },
  owner: StorageOwner,
  body: Readable,
  step: Step,
): Promise<SourceManifest> {
  const { bounds } = deps;
  const intake = beginIntake(deps, owner, false);
  const files: SourceFile[] = [];
  try {
    const rest = await readBody(body, bounds.contents, step, async (unpacked) => {
      const entries = readTar(unpacked, bounds.files);
      let entry = await entries.next();
      for (; !entry.done; entry = await entries.next()) {
        const { path, mode, size, body: content } = entry.value;
        files.push({ path, mode, size, sha256: await intake.add(content, { size }) });
      }
      return entry.value;
    });
    return { files, ...rest };
  } finally {
    await intake.finish();
  }
}
