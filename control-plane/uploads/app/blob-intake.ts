// Storing contents of an account in batches: files first, then the rows that name them.
import type { Reservation, StorageOwner, StorageQuota } from '../../access/app/storage-quota.js';
import type { Core } from '../../platform/app/core.js';
import {
  type ContentBatch,
  type ContentStore,
  SMALL_CONTENT,
  type StoredContent,
} from '../../platform/blobs/content-store.js';
import type { Transaction } from '../../platform/store/sql.js';
import { noteGarbage } from '../store/blob-accounts.js';
import { insertBlobs, presentBlobs, touchBlobs } from '../store/blobs.js';

/** What is announced of a content before its bytes. */
export interface Announced {
  readonly size: number;
  readonly sha256?: string;
}

export type BlobIntake = ReturnType<typeof beginIntake>;

type Last = (tx: Transaction) => Promise<void>;

export interface BlobIntakeDeps extends Pick<Core, 'store' | 'clock'> {
  readonly blobs: ContentStore;
  readonly quota: StorageQuota;
}

/** A batch is stored when it holds this much; until then small contents stay in memory. */
const BATCH = { contents: 512, bytes: 64 * 1024 * 1024, smallBytes: 2 * 1024 * 1024 };

/**
 * @param claimed an accepted upload names the contents; otherwise they are garbage until one does
 * @param first awaited before anything is stored; when it fails, nothing is stored and `finish` fails with the same
 * error
 */
export function beginIntake(
  deps: BlobIntakeDeps,
  owner: StorageOwner,
  claimed: boolean,
  first: Promise<void> = Promise.resolve(),
) {
  const { accountId } = owner;
  const scope = String(accountId);
  const reservation = deps.quota.begin(owner, 'contents');
  let filling = createFilling(deps.blobs.batch(scope));
  /** Full batches: one is stored while the next is filled. */
  let storing = first;
  // The error is reported by `finish`.
  storing.catch(() => undefined);
  let stored = 0;

  const storeAfter = async (before: Promise<void>, full: Filling, last?: Last): Promise<void> => {
    const { batch, contents } = full;
    try {
      await before;
      const storing = { accountId, claimed, reservation, reserved: full.reserved() };
      if (contents.size > 0) stored += await storeBatch(deps, storing, batch, contents, last);
    } finally {
      await batch.abort();
    }
  };
  const flush = async (last?: Last): Promise<void> => {
    const before = storing;
    storing = storeAfter(before, filling, last);
    // The error is reported by the next `add` or `finish`.
    storing.catch(() => undefined);
    filling = createFilling(deps.blobs.batch(scope));
    await before;
  };

  return {
    /**
     * Reads a content to its end and returns its hash.
     *
     * @throws BlobError `mismatch` when it is not what was announced; the intake goes on
     * @throws ApiError `storage_quota_exceeded` before the content is read
     */
    async add(source: AsyncIterable<Buffer>, announced: Announced): Promise<string> {
      await reservation.take(announced.size);
      const sha256 = await filling.add(source, announced);
      if (filling.full()) await flush();
      return sha256;
    },
    /**
     * Stores the contents that were added; returns how many were new to the account.
     *
     * @param last runs in the transaction that stores the last contents; not called when there are none
     */
    async finish(last?: Last): Promise<number> {
      try {
        await flush(last);
        await storing;
        return stored;
      } finally {
        reservation.release();
      }
    },
  };
}

type Filling = ReturnType<typeof createFilling>;

/** The batch that is being filled. */
function createFilling(batch: ContentBatch) {
  const contents = new Map<string, StoredContent>();
  const added = { contents: 0, bytes: 0, smallBytes: 0 };
  let reserved = 0;

  return {
    batch,
    contents,
    /** Announced bytes, including repeated and refused contents. */
    reserved: () => reserved,
    full: () => added.contents >= BATCH.contents || added.bytes >= BATCH.bytes || added.smallBytes >= BATCH.smallBytes,
    async add(source: AsyncIterable<Buffer>, { size, sha256 }: Announced): Promise<string> {
      reserved += size;
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

interface Storing {
  readonly accountId: number;
  readonly claimed: boolean;
  readonly reservation: Reservation;
  /** Bytes of the batch. */
  readonly reserved: number;
}

async function storeBatch(
  { store, clock, blobs }: BlobIntakeDeps,
  { accountId, claimed, reservation, reserved }: Storing,
  batch: ContentBatch,
  contents: Map<string, StoredContent>,
  last?: Last,
): Promise<number> {
  // Usually nothing is present yet, since only missing contents are sent. A content that is present is protected from
  // collection before its second copy is dropped; one that is stored concurrently after this check is too young to be
  // collected.
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
  const superfluous = await reservation.store(reserved, () =>
    store.transaction(async (tx) => {
      const late = await insertBlobs(tx, accountId, contents.values(), clock.now());
      await last?.(tx);
      return late;
    }),
  );
  for (const { key } of superfluous) await blobs.delete(String(accountId), key);
  return contents.size - superfluous.length;
}
