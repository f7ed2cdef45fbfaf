// Interface of the storage for objects: bytes under keys, in a folder or in an S3-compatible store.
//
// The database decides what exists: write the object first, then the row that refers to it; delete the row first, then
// the object. Never write other bytes under a key that a row refers to: some stores answer with the old bytes for a while.
// Nothing here lists keys, so a row must name an object before its bytes are written (`app/kept-objects.ts`).
import type { Readable } from 'node:stream';
import { BlobError } from './blob-error.js';

export interface ExpectedContent {
  sha256: string;
  size: number;
}

export interface StoredObject {
  readonly sha256: string;
  readonly size: number;
}

export interface ByteRange {
  /** Inclusive; default: 0. */
  readonly start?: number;
  /** Exclusive; default: the end of the object. */
  readonly end?: number;
}

/** How an address that is given to a client answers. */
export interface AddressedAs {
  /** The header Content-Disposition. */
  readonly disposition: string;
  /** The header Content-Type. */
  readonly type: string;
  readonly validMs: number;
}

export interface ObjectStore {
  /**
   * Stores bytes of unknown length, durably; visible only when all of them are stored. A stream is read in parts of
   * fixed size, at the store's pace.
   *
   * @throws BlobError `mismatch` if hash or size differ from the expected ones, `no_space`, `failed`, `away`; what the
   *   source throws. Then nothing is visible under the key, unless something was before.
   */
  put(key: string, source: Buffer | AsyncIterable<Buffer>, expected?: Partial<ExpectedContent>): Promise<StoredObject>;
  /**
   * Opens the bytes of a range; at most those that there are.
   *
   * @throws MissingObjectError, BlobError `away`. The stream fails if the object ends early.
   */
  open(key: string, range?: ByteRange): Promise<Readable>;
  /** Returns null if there is no such object. */
  stat(key: string): Promise<{ readonly size: number } | null>;
  /** Deletes objects; missing ones are no error. When some could not be deleted, throws after the others are. */
  delete(keys: readonly string[]): Promise<void>;
  /** Returns an address from which anybody can fetch the object for a while; null if the store has none. */
  address(key: string, as: AddressedAs): string | null;
  /** Rejects with BlobError `away` while the store does not answer or refuses this service. */
  check(): Promise<void>;
  /** Deletes what writes have left that ended before their object was complete and began before `before` (ms); returns how many. */
  dropUnfinished(before: number): Promise<number>;
  close(): Promise<void>;
}

/** There is no such object. Its code is that of a missing file. */
export class MissingObjectError extends Error {
  override name = 'MissingObjectError';
  readonly code = 'ENOENT';
  constructor(key: string) {
    super(`there is no object ${key}`);
  }
}

/** Lower case only, because some file systems do not tell upper case from lower. */
const KEY = /^[a-z0-9_-][a-z0-9._-]{0,127}(?:\/[a-z0-9_-][a-z0-9._-]{0,127}){0,7}$/;

/** Throws a TypeError for a malformed key, which could point to any file. */
export function checkKey(key: string): void {
  if (!KEY.test(key)) throw new TypeError(`malformed key ${key}`);
}

/** Throws BlobError `mismatch` unless the stored bytes are those that were expected. */
export function checkStored({ sha256, size }: StoredObject, expected: Partial<ExpectedContent> | undefined): void {
  if (size === (expected?.size ?? size) && sha256 === (expected?.sha256 ?? sha256)) return;
  throw new BlobError('mismatch', 'The bytes sent do not have the named hash and size.');
}

/** Returns the object's bytes as a stream. */
export async function* piecesOf(source: Buffer | AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  if (!Buffer.isBuffer(source)) yield* source;
  else if (source.length > 0) yield source;
}
