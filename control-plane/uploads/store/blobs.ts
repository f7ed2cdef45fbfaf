// Which contents an account has, and under which key each is stored.
import { int, text } from '../../platform/domain/fields.js';
import { addUsage } from '../../platform/store/account-usage.js';
import type { ContentPlaces } from '../../platform/store/content-places.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export interface Blob {
  readonly sha256: string;
  readonly size: number;
  readonly key: string;
}

export const blobs = table('blobs', {
  accountId: int(),
  sha256: text(),
  size: int(),
  blobKey: text(),
  /** When it was last stored or found to be there already, ms. */
  storedAt: int(),
});
export type StoredBlob = Selected<typeof blobs>;

/** The sizes of the contents that the account has, by hash. */
export async function presentBlobs(
  db: Queries,
  accountId: number,
  hashes: Iterable<string>,
): Promise<Map<string, number>> {
  const present = new Map<string, number>();
  for (const { list, params } of inChunks(hashes)) {
    const rows = await db.all<{ sha256: string; size: number }>(
      `SELECT sha256, size FROM blobs WHERE account_id = :accountId AND sha256 IN (${list})`,
      { ...params, accountId },
    );
    for (const { sha256, size } of rows) present.set(sha256, size);
  }
  return present;
}

export function findBlob(db: Queries, accountId: number, sha256: string): Promise<StoredBlob | null> {
  return blobs.get(db, 'WHERE account_id = :accountId AND sha256 = :sha256', { accountId, sha256 });
}

/** Marks the hashes that the account has as just stored, which protects them from collection; returns them. */
export async function touchBlobs(
  tx: Transaction,
  accountId: number,
  hashes: Iterable<string>,
  now: number,
): Promise<Set<string>> {
  const touched = new Set<string>();
  for (const { list, params } of inChunks(hashes)) {
    const rows = await tx.all<{ sha256: string }>(
      `UPDATE blobs SET stored_at = :now WHERE account_id = :accountId AND sha256 IN (${list})
       RETURNING sha256`,
      { ...params, accountId, now },
    );
    for (const { sha256 } of rows) touched.add(sha256);
  }
  return touched;
}

const insertNew = blobs.inserter({ onConflict: 'ON CONFLICT (account_id, sha256) DO NOTHING' });

/** Returns the contents that the account already has under another key. */
export async function insertBlobs<B extends Blob>(
  tx: Transaction,
  accountId: number,
  contents: Iterable<B>,
  now: number,
): Promise<B[]> {
  const present: B[] = [];
  let bytes = 0;
  for (const content of contents) {
    const { sha256, size, key: blobKey } = content;
    if (await insertNew(tx, { accountId, sha256, size, blobKey, storedAt: now })) bytes += size;
    else present.push(content);
  }
  await addUsage(tx, accountId, 'contentsBytes', bytes);
  return present;
}

/** An account's contents by hash, after `after`. */
export function pageBlobs(db: Queries, accountId: number, after: string, limit: number): Promise<StoredBlob[]> {
  return blobs.all(db, 'WHERE account_id = :accountId AND sha256 > :after ORDER BY sha256 LIMIT :limit', {
    accountId,
    after,
    limit,
  });
}

/** Removes those of the hashes that were last stored at `storedUntil` or earlier; returns their keys. */
export async function deleteBlobs(
  tx: Transaction,
  accountId: number,
  hashes: Iterable<string>,
  storedUntil: number,
): Promise<string[]> {
  const keys: string[] = [];
  let bytes = 0;
  for (const { list, params } of inChunks(hashes)) {
    const rows = await tx.all<{ blob_key: string; size: number }>(
      `DELETE FROM blobs WHERE account_id = :accountId AND sha256 IN (${list}) AND stored_at <= :storedUntil
       RETURNING blob_key, size`,
      { ...params, accountId, storedUntil },
    );
    for (const { blob_key: key, size } of rows) {
      keys.push(key);
      bytes += size;
    }
  }
  await addUsage(tx, accountId, 'contentsBytes', -bytes);
  return keys;
}

/** Removes rows whose bytes are missing, unless the content was stored again in between; returns how many. */
export async function forgetBlobs(
  tx: Transaction,
  accountId: number,
  lost: Iterable<Pick<StoredBlob, 'sha256' | 'blobKey'>>,
): Promise<number> {
  let count = 0;
  let bytes = 0;
  for (const { sha256, blobKey } of lost) {
    const deleted = await tx.get<{ size: number }>(
      `DELETE FROM blobs WHERE account_id = :accountId AND sha256 = :sha256 AND blob_key = :blobKey
       RETURNING size`,
      { accountId, sha256, blobKey },
    );
    if (!deleted) continue;
    count++;
    bytes += deleted.size;
  }
  await addUsage(tx, accountId, 'contentsBytes', -bytes);
  return count;
}

/** The keys that refer to a content of the account. */
export async function knownBlobKeys(db: Queries, accountId: number, keys: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>();
  // A key begins with its content's hash, and by hash there is an index.
  for (const { list, params } of inChunks(keys.map((key) => key.slice(0, 64)))) {
    const rows = await db.all<{ blob_key: string }>(
      `SELECT blob_key FROM blobs WHERE account_id = :accountId AND sha256 IN (${list})`,
      { ...params, accountId },
    );
    for (const { blob_key: key } of rows) known.add(key);
  }
  return known;
}

const places = blobs.pick('accountId', 'sha256', 'blobKey');

/** Where the contents of all accounts are, in the order of the primary key. */
export async function* eachBlobKey(q: Queries, limit: number): AsyncGenerator<ContentPlaces, void, undefined> {
  let after = { accountId: -1, sha256: '' };
  for (let page = limit; page === limit; ) {
    const rest = 'WHERE (account_id, sha256) > (:accountId, :sha256) ORDER BY account_id, sha256 LIMIT :limit';
    const found = await places.all(q, rest, { ...after, limit });
    if (found.length > 0) yield found.map(({ accountId, blobKey }) => ({ accountId, key: blobKey }));
    after = found.at(-1) ?? after;
    page = found.length;
  }
}

export const countBlobs = (q: Queries): Promise<number> => readCount(q, 'SELECT COUNT(*) AS count FROM blobs');
