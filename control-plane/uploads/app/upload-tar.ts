// A folder sent as one gzip-compressed tar.
import type { Readable } from 'node:stream';
import type { SourceFile, SourceManifest } from '../../../shared/protocol/index.js';
import { readIncoming } from '../formats/incoming.js';
import { gunzip } from '../formats/gunzip.js';
import { readTar } from '../formats/tar.js';
import { type BlobIntakeDeps, beginIntake } from './blob-intake.js';
import type { UploadBounds } from './upload-bounds.js';

/**
 * Stores the files of an archive and returns its manifest. Until an upload with that manifest is accepted the
 * contents are garbage in waiting: kept for as long as an unused upload.
 *
 * @throws ApiError `invalid_gzip`, `invalid_tar`, `empty_upload`, `too_many_files`, `upload_too_large`,
 *   `uploads_unavailable`
 */
export async function receiveTar(
  deps: BlobIntakeDeps & { readonly bounds: UploadBounds },
  accountId: number,
  body: Readable,
): Promise<SourceManifest> {
  const { bounds } = deps;
  const intake = beginIntake(deps, accountId, false);
  const files: SourceFile[] = [];
  try {
    const rest = await readIncoming(body, bounds.time, async (chunks) => {
      const entries = readTar(gunzip(chunks, bounds.contents), bounds.files);
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
