// The port behind which bytes of uploads, manifests and artifacts lie.
//
// Content belongs to a scope (an account): nothing is shared between scopes, so that no account can learn or
// use what another one stored. Every stored content gets a key of its own, also when the same bytes are stored
// twice: deleting by an old key can never take what was stored afterwards. Which key stands for which hash is
// the database's business.
import type { Readable } from 'node:stream';

export interface StoredContent {
  /** Names this content within its scope; never given twice. */
  key: string;
  sha256: string;
  size: number;
}

/** Contents up to this size, in bytes, are held in memory from `add` to the end of their batch. */
export const SMALL_CONTENT = 64 * 1024;

export interface ExpectedContent {
  sha256: string;
  size: number;
}

/** Content on its way in: staged by `add`, visible and safe from a power loss after `commit`. */
export interface ContentBatch {
  /**
   * Writes and hashes a stream.
   *
   * @throws BlobError `mismatch` when it is not what is expected (the batch stays usable), `no_space`, and `failed` when
   *   the file system fails
   */
  add(source: AsyncIterable<Buffer>, expected?: ExpectedContent): Promise<StoredContent>;
  /** Takes a staged content out again. */
  discard(key: string): Promise<void>;
  /** Makes everything staged durable, then visible. */
  commit(): Promise<void>;
  /** Throws away what is staged; harmless after `commit`. */
  abort(): Promise<void>;
}

export interface ContentStore {
  batch(scope: string): ContentBatch;
  /** Bytes from `start` up to (without) `end`. Rejects when the key is unknown. */
  open(scope: string, key: string, range?: { start?: number; end?: number }): Promise<Readable>;
  /** Null when there is no such content. */
  stat(scope: string, key: string): Promise<{ size: number } | null>;
  /** False when there was no such content. */
  delete(scope: string, key: string): Promise<boolean>;
  /** Everything visible, in no order; `storedAt` in ms. For sweeps that compare with the database. */
  list(): AsyncIterable<{ scope: string; key: string; storedAt: number }>;
  /** Removes what unfinished batches older than `before` (ms) left behind; returns how many files. */
  cleanStaging(before: number): Promise<number>;
}

/**
 * Stores one content durably.
 *
 * @example
 * const { key, sha256 } = await put(store, '42', Readable.from([Buffer.from('hello')]));
 */
export async function put(
  store: ContentStore,
  scope: string,
  source: AsyncIterable<Buffer>,
  expected?: ExpectedContent,
): Promise<StoredContent> {
  const batch = store.batch(scope);
  try {
    const stored = await batch.add(source, expected);
    await batch.commit();
    return stored;
  } catch (error) {
    await batch.abort();
    throw error;
  }
}
