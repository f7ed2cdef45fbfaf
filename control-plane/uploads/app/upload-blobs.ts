// Contents sent for an accepted upload.

import type { Readable } from 'node:stream';
import { countOf } from '../../../shared/count.js';
import type { StorageOwner } from '../../access/app/storage-quota.js';
import type { Step } from '../../platform/app/turns.js';
import { isMismatch } from '../../platform/blobs/blob-error.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Transaction } from '../../platform/store/sql.js';
import { type BlobRecord, readRecords } from '../formats/records.js';
import { type BlobIntake, type BlobIntakeDeps, beginIntake } from './blob-intake.js';
import { readBody } from './upload-body.js';
import type { UploadBounds } from './upload-bounds.js';

export interface Receiver {
  readonly owner: StorageOwner;
  /** Of the contents that the upload names. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Extends the upload's life; awaited before anything is stored. */
  readonly living: Promise<void>;
  /** Runs in the transaction that stores the last contents; not called when there are none to store. */
  last(tx: Transaction): Promise<void>;
}

/** Records read in one turn: one piece of the body may hold so many small records that reading them takes milliseconds. */
const RECORDS_IN_TURN = 20;

/**
 * Stores the contents of a body of records and returns how many were new. A content that does not match its record is
 * skipped, and reported once all others are stored; when the body is cut off, the contents before remain stored.
 *
 * @throws ApiError `invalid_gzip`, `invalid_blob`, `blob_not_in_manifest`, `storage_quota_exceeded`; BlobError `no_space`, `failed`; what `living` throws
 */
export async function receiveBlobs(
  deps: BlobIntakeDeps & { readonly bounds: UploadBounds },
  { owner, sizes, living, last }: Receiver,
  body: Readable,
  step: Step,
): Promise<number> {
  const { bounds } = deps;
  const intake = beginIntake(deps, owner, true, living);
  const bad: string[] = [];
  let failure: unknown = null;
  try {
    await readBody(body, bounds.contents, step, async (unpacked) => {
      const records = readRecords(unpacked, bounds.files.maxFileBytes);
      let read = 0;
      for await (const record of records) {
        if (++read % RECORDS_IN_TURN === 0) await step();
        if (!(await takeOne(intake, record, sizes))) bad.push(record.sha256);
      }
    });
  } catch (error) {
    failure = error;
  }
  const stored = await intake.finish(last);
  if (failure !== null) throw failure;
  if (bad.length > 0) {
    throw new ApiError('invalid_blob', {
      message: `Hash or size of ${countOf(bad.length, 'file')} is not the announced one; the other files are stored.`,
      detail: { sha256: bad.slice(0, 100), stored },
    });
  }
  return stored;
}

/** Returns false when the content does not match. */
async function takeOne(
  intake: BlobIntake,
  { sha256, size, body }: BlobRecord,
  sizes: ReadonlyMap<string, number>,
): Promise<boolean> {
  const expected = sizes.get(sha256);
  if (expected === undefined) throw new ApiError('blob_not_in_manifest', { detail: { sha256 } });
  if (expected !== size) return false;
  try {
    await intake.add(body, { sha256, size });
    return true;
  } catch (error) {
    if (isMismatch(error)) return false;
    throw error;
  }
}
