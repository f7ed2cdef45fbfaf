// Sums the bytes of an account's contents and manifests, page by page.
import type { Queries } from '../../platform/store/sql.js';
import { pageBlobs } from '../store/blobs.js';
import { pageManifestSizes } from '../store/uploads.js';

/** Position of a page: first the contents, by hash, then the manifests, by the uploads' seq. */
export interface ContentsPlace {
  readonly sha256: string | null;
  readonly seq: number;
}

export const CONTENTS_START: ContentsPlace = { sha256: '', seq: 0 };

/**
 * Sums up to `limit` rows.
 *
 * @returns `next`: null on the last page
 */
export async function contentsPage(
  q: Queries,
  accountId: number,
  { sha256, seq }: ContentsPlace,
  limit: number,
): Promise<{ rows: number; bytes: number; next: ContentsPlace | null }> {
  if (sha256 !== null) {
    const rows = await pageBlobs(q, accountId, sha256, limit);
    const bytes = rows.reduce((sum, { size }) => sum + size, 0);
    const last = rows.length < limit ? null : (rows.at(-1)?.sha256 ?? null);
    return { rows: rows.length, bytes, next: { sha256: last, seq } };
  }
  const rows = await pageManifestSizes(q, accountId, seq, limit);
  const bytes = rows.reduce((sum, { manifestBytes }) => sum + manifestBytes, 0);
  const last = rows.at(-1);
  return {
    rows: rows.length,
    bytes,
    next: last && rows.length === limit ? { sha256: null, seq: last.seq } : null,
  };
}
