// Contents on their way into an account, a batch at a time: files first, then the rows that name them.
import { createHash } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import type { ContentBatch, ContentStore, StoredContent } from '../blobs/content-store.js';
import { ApiError } from '../domain/error-catalog.js';
import { noteGarbage } from '../store/blob-accounts.js';
import { insertBlob, touchBlobs } from '../store/blobs.js';
import type { Store } from '../store/sql.js';

/** What is known of a content before it has been read. */
export interface Announced {
  readonly size: number;
  readonly sha256?: string;
}

export interface BlobIntake {
  /**
   * Reads a content to its end and answers its hash.
   *
   * @throws ApiError `invalid_blob` when it is not what was announced; the intake goes on
   */
  add(source: AsyncIterable<Buffer>, announced: Announced): Promise<string>;
  /** Stores what has been added; says how many contents were new to the account. */
  finish(): Promise<number>;
}

export interface BlobIntakeDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly blobs: ContentStore;
}

/** A batch is stored when it holds this many contents or bytes. */
const BATCH = { contents: 256, bytes: 64 * 1024 * 1024 };
/** Contents up to this size are read whole and written while the next are read; each costs mostly waiting. */
const SMALL = 64 * 1024;
const WRITTEN_AT_ONCE = 8;

/** @param claimed an accepted upload counts on the contents; others are garbage unless one comes to do so */
export function beginIntake(deps: BlobIntakeDeps, accountId: number, claimed: boolean): BlobIntake {
  const scope = String(accountId);
  let filling = createFilling(deps.blobs.batch(scope));
  /** Of all batches that are full: one is stored while the next is filled. */
  let storing: Promise<void> = Promise.resolve();
  let stored = 0;

  const storeAfter = async (before: Promise<void>, full: Filling): Promise<void> => {
    const { batch, contents } = full;
    try {
      await before;
      await full.settled();
      if (contents.size > 0) stored += await storeBatch(deps, accountId, claimed, batch, contents);
    } finally {
      await batch.abort();
    }
  };
  const flush = async (): Promise<void> => {
    const before = storing;
    storing = storeAfter(before, filling);
    // Whoever adds or finishes next is told.
    storing.catch(() => undefined);
    filling = createFilling(deps.blobs.batch(scope));
    await before;
  };

  return {
    async add(source, announced) {
      const sha256 = await filling.add(source, announced);
      if (filling.full()) await flush();
      return sha256;
    },
    async finish() {
      await flush();
      await storing;
      return stored;
    },
  };
}

type Filling = ReturnType<typeof createFilling>;

/** A batch that is being filled. */
function createFilling(batch: ContentBatch) {
  const contents = new Map<string, StoredContent>();
  const seen = new Set<string>();
  const writing = new Set<Promise<void>>();
  let bytes = 0;
  let failure: unknown = null;

  const note = async (content: StoredContent) => {
    if (contents.has(content.sha256)) return batch.discard(content.key);
    contents.set(content.sha256, content);
  };
  const write = async (content: Buffer) => {
    if (writing.size >= WRITTEN_AT_ONCE) await Promise.race(writing);
    const written = batch
      .add(once(content))
      .then(note)
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => writing.delete(written));
    writing.add(written);
  };

  return {
    batch,
    contents,
    full: () => seen.size >= BATCH.contents || bytes >= BATCH.bytes,
    async settled(): Promise<void> {
      await Promise.all(writing);
      if (failure !== null) throw failure;
    },
    async add(source: AsyncIterable<Buffer>, announced: Announced): Promise<string> {
      const { size, sha256: expected } = announced;
      bytes += size;
      if (size > SMALL) {
        const content = await batch.add(
          source,
          expected === undefined ? undefined : { size, sha256: expected },
        );
        await note(content);
        seen.add(content.sha256);
        return content.sha256;
      }
      const content = await collect(source);
      const sha256 = createHash('sha256').update(content).digest('hex');
      if (expected !== undefined && (content.length !== size || sha256 !== expected)) {
        throw new ApiError('invalid_blob', { detail: { sha256: expected } });
      }
      if (!seen.has(sha256)) await write(content);
      seen.add(sha256);
      return sha256;
    },
  };
}

async function storeBatch(
  { store, clock, blobs }: BlobIntakeDeps,
  accountId: number,
  claimed: boolean,
  batch: ContentBatch,
  contents: Map<string, StoredContent>,
): Promise<number> {
  // What is there already is kept from collection before its second copy is let go.
  const present = await store.transaction(async (tx) => {
    if (!claimed) await noteGarbage(tx, accountId);
    return touchBlobs(tx, accountId, contents.keys(), clock.now());
  });
  for (const sha256 of present) {
    await batch.discard(contents.get(sha256)?.key ?? '');
    contents.delete(sha256);
  }
  await batch.commit();
  const superfluous = await store.transaction(async (tx) => {
    const late: StoredContent[] = [];
    for (const content of contents.values()) {
      if (!(await insertBlob(tx, accountId, content, clock.now()))) late.push(content);
    }
    return late;
  });
  for (const { key } of superfluous) await blobs.delete(String(accountId), key);
  return contents.size - superfluous.length;
}

async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* once(content: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield content;
}
