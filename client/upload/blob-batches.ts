// Divides the missing contents into requests of bounded size.
import type { ScannedFile } from '../files/scan.js';

/** Contents of one request. Larger files are sent alone, as a stream. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 500;

/** One file per missing content, in batches of at most 4 MiB or 500 files, or a single larger file. */
export function blobBatches(files: readonly ScannedFile[], missing: Iterable<string>): ScannedFile[][] {
  const wanted = new Set(missing);
  const batches: ScannedFile[][] = [];
  let batch: ScannedFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (!wanted.delete(file.sha256)) continue;
    if (batch.length > 0 && (bytes + file.size > BATCH_BYTES || batch.length >= BATCH_FILES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** True for a batch that must not be held in memory whole. */
export function isLarge(batch: readonly ScannedFile[]): boolean {
  return batch[0]!.size > BATCH_BYTES;
}
