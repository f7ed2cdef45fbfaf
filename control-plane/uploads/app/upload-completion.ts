// Whether an upload is complete. Nothing of a live upload is collected, but a disk may lose contents, so a check is
// valid only while the account's count of deletions is unchanged: every transaction that deletes raises it.

import type { Store, Transaction } from '../../platform/store/sql.js';
import type { Upload } from '../domain/upload.js';
import { readBlobCounters } from '../store/blob-accounts.js';
import { setUploadReady } from '../store/uploads.js';
import { type AcceptedUpload, missingOf } from './upload-acceptance.js';
import type { UploadContents } from './upload-contents.js';

/**
 * Checks the missing contents again, or all of them when something may have been lost since; marks the upload as
 * ready when nothing is missing.
 */
export async function refreshUpload(
  store: Store,
  upload: Upload,
  known: UploadContents,
): Promise<AcceptedUpload> {
  const { accountId } = upload;
  const { look, sizes } = known;
  const { deletions } = await readBlobCounters(store, accountId);
  const missing = await missingOf(
    store,
    accountId,
    look.deletions === deletions ? sizesOf(look.missing, sizes) : sizes,
  );
  known.look = { deletions, missing: new Set(missing) };
  if (missing.length > 0) return { upload, missing };
  const late = await store.transaction((tx) => missingNow(tx, upload, known));
  return { upload: { ...upload, ready: late.length === 0 }, missing: late };
}

/**
 * In the transaction that stores the last contents of a request: marks the upload as ready when nothing is missing.
 * Returns false when this requires a check of all contents, which would hold the transaction open too long.
 */
export async function noteCompletion(
  tx: Transaction,
  upload: Upload,
  known: UploadContents,
): Promise<boolean> {
  const { deletions } = await readBlobCounters(tx, upload.accountId);
  if (deletions !== known.look.deletions) return false;
  await missingNow(tx, upload, known);
  return true;
}

/** Marks the upload as ready unless something is missing. */
async function missingNow(
  tx: Transaction,
  upload: Upload,
  known: UploadContents,
): Promise<readonly string[]> {
  const { accountId, uploadId } = upload;
  const { look, sizes } = known;
  const { deletions } = await readBlobCounters(tx, accountId);
  const missing = await missingOf(
    tx,
    accountId,
    look.deletions === deletions ? sizesOf(look.missing, sizes) : sizes,
  );
  if (missing.length === 0) await setUploadReady(tx, uploadId);
  tx.onCommit(() => {
    known.look = { deletions, missing: new Set(missing) };
  });
  return missing;
}

function sizesOf(hashes: ReadonlySet<string>, sizes: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...hashes].map((sha256) => [sha256, sizes.get(sha256) ?? 0]));
}
