// Contents on their way into an account, a batch at a time: files first, then the rows that name them.
import type { Clock } from '../../../shared/clock.js';
import {
  type ContentBatch,
  type ContentStore,
  SMALL_CONTENT,
  type StoredContent,
} from '../../platform/blobs/content-store.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { noteGarbage } from '../store/blob-accounts.js';
import { insertBlob, presentBlobs, touchBlobs } from '../store/blobs.js';

/** What is known of a content before it has been read. */
export interface Announced {
  readonly size: number;
  readonly sha256?: string;
}

export interface BlobIntake {
  /**
   * Reads a content to its end and answers its hash.
   *
   * @throws BlobError `mismatch` when it is not what was announced; the intake goes on
   */
  add(source: AsyncIterable<Buffer>, announced: Announced): Promise<string>;
  /**
   * Stores what has been added; says how many contents were new to the account.
   *
   * @param last runs in the transaction that makes the last contents the account's; not at all when there are none
   */
  finish(last?: Last): Promise<number>;
}

type Last = (tx: Transaction) => Promise<void>;

export interface BlobIntakeDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly blobs: ContentStore;
}

/** A batch is stored when it holds this much; small contents lie in memory till then. */
const BATCH = { contents: 512, bytes: 64 * 1024 * 1024, smallBytes: 2 * 1024 * 1024 };

/**
 * @param claimed an accepted upload counts on the contents; others are garbage unless one comes to do so
 * @param first awaited before anything is stored; when it fails nothing is, and `finish` fails with it
 */
export function beginIntake(
  deps: BlobIntakeDeps,
  accountId: number,
  claimed: boolean,
  first: Promise<void> = Promise.resolve(),
): BlobIntake {
  const scope = String(accountId);
  let filling = createFilling(deps.blobs.batch(scope));
  /** Of all batches that are full: one is stored while the next is filled. */
  let storing = first;
  // Whoever finishes is told, if not whoever adds.
  storing.catch(() => undefined);
  let stored = 0;

  const storeAfter = async (before: Promise<void>, full: Filling, last?: Last): Promise<void> => {
    const { batch, contents } = full;
    try {
      await before;
      if (contents.size > 0) stored += await storeBatch(deps, accountId, claimed, batch, contents, last);
    } finally {
      await batch.abort();
    }
  };
  const flush = async (last?: Last): Promise<void> => {
    const before = storing;
    storing = storeAfter(before, filling, last);
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
    async finish(last) {
      await flush(last);
      await storing;
      return stored;
    },
  };
}

type Filling = ReturnType<typeof createFilling>;

/** A batch that is being filled. */
function createFilling(batch: ContentBatch) {
  const contents = new Map<string, StoredContent>();
  const added = { contents: 0, bytes: 0, smallBytes: 0 };

  return {
    batch,
    contents,
    full: () =>
      added.contents >= BATCH.contents || added.bytes >= BATCH.bytes || added.smallBytes >= BATCH.smallBytes,
    async add(source: AsyncIterable<Buffer>, { size, sha256 }: Announced): Promise<string> {
      const content = await batch.add(source, sha256 === undefined ? undefined : { size, sha256 });
      added.contents++;
      if (contents.has(content.sha256)) {
        await batch.discard(content.key);
        return content.sha256;
      }
      contents.set(content.sha256, content);
      added.bytes += content.size;
      if (content.size <= SMALL_CONTENT) added.smallBytes += content.size;
      return content.sha256;
    },
  };
}

async function storeBatch(
  { store, clock, blobs }: BlobIntakeDeps,
  accountId: number,
  claimed: boolean,
  batch: ContentBatch,
  contents: Map<string, StoredContent>,
  last?: Last,
): Promise<number> {
  // Mostly nothing is there yet, since only what is missing is sent. What is there already is kept from collection
  // before its second copy is let go; what comes from elsewhere behind this look is young enough not to need that.
  const anew = claimed && (await presentBlobs(store, accountId, contents.keys())).size === 0;
  const present = anew
    ? []
    : await store.transaction(async (tx) => {
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
    await last?.(tx);
    return late;
  });
  for (const { key } of superfluous) await blobs.delete(String(accountId), key);
  return contents.size - superfluous.length;
}
