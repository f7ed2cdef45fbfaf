// Interface of the storage for uploads, manifests and artifacts.
//
// Content belongs to a scope (an account): nothing is shared between scopes, so that no account can detect or
// use content of another. Every stored content gets a unique key, even if the same bytes are stored twice:
// deleting by an old key never deletes content that was stored later. The database maps hashes to keys.
import type { Readable } from 'node:stream';
import type { AddressedAs, ByteRange, ExpectedContent } from './object-store.js';

export type { ExpectedContent } from './object-store.js';

export interface StoredContent {
  /** Identifies this content within its scope; never reused. */
  key: string;
  sha256: string;
  size: number;
}

/** Contents up to this size, in bytes, are buffered in memory from `add` to the end of their batch. */
export const SMALL_CONTENT = 64 * 1024;

/** A batch of new contents: staged by `add`, visible and durable after `commit`. */
export interface ContentBatch {
  /**
   * Stages and hashes a stream.
   *
   * @throws BlobError `mismatch` if size or hash differ from the expected ones (the batch remains usable), `no_space`,
   *   and `failed` if the file system fails
   */
  add(source: AsyncIterable<Buffer>, expected?: ExpectedContent): Promise<StoredContent>;
  /** Removes a staged content from the batch. */
  discard(key: string): Promise<void>;
  /** Makes all staged contents durable, then visible. */
  commit(): Promise<void>;
  /** Discards staged contents; does nothing after `commit`. */
  abort(): Promise<void>;
}

export interface ContentStore {
  batch(scope: string): ContentBatch;
  /** Returns the bytes from `start` (inclusive) to `end` (exclusive). Rejects if the key is unknown. */
  open(scope: string, key: string, range?: ByteRange): Promise<Readable>;
  /** Returns null if there is no such content. */
  stat(scope: string, key: string): Promise<{ size: number } | null>;
  /** Returns false if there was no such content. In an object store its bytes are deleted some time later. */
  delete(scope: string, key: string): Promise<boolean>;
  /** Returns an address from which anybody can fetch the content for a while; null if there is none. */
  address(scope: string, key: string, as: AddressedAs): string | null;
}

/** A store of files, which are collected by comparing them with the database. Objects are collected by their rows. */
export interface ListedContentStore extends ContentStore {
  /** Yields all visible contents, unordered; `storedAt` in ms. For garbage collection against the database. */
  list(): AsyncIterable<{ scope: string; key: string; storedAt: number }>;
  /** Deletes staged files of unfinished batches that are older than `before` (ms). Returns the number of files. */
  cleanStaging(before: number): Promise<number>;
}

export const isListed = (store: ContentStore): store is ListedContentStore => 'list' in store;

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
