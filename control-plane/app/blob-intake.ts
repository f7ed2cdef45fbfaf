// Contents on their way into an account, a batch at a time: files first, then the rows that name them.
import type { Clock } from '../../shared/clock.js';
import type { ContentBatch, ContentStore, ExpectedContent, StoredContent } from '../blobs/content-store.js';
import { noteGarbage } from '../store/blob-accounts.js';
import { insertBlob, touchBlobs } from '../store/blobs.js';
import type { Store } from '../store/sql.js';

export interface BlobIntake {
  /** @throws ApiError `invalid_blob` when it is not what is expected; the intake goes on */
  add(source: AsyncIterable<Buffer>, expected?: ExpectedContent): Promise<{ sha256: string; size: number }>;
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

/** @param claimed an accepted upload counts on the contents; others are garbage unless one comes to do so */
export function beginIntake(deps: BlobIntakeDeps, accountId: number, claimed: boolean): BlobIntake {
  const { store, clock, blobs } = deps;
  const scope = String(accountId);
  let batch: ContentBatch | null = null;
  let staged = new Map<string, StoredContent>();
  let bytes = 0;
  let stored = 0;

  const flush = async (): Promise<void> => {
    const full = batch;
    const contents = staged;
    batch = null;
    staged = new Map();
    bytes = 0;
    if (!full || contents.size === 0) return;
    try {
      // What is there already is kept from collection before its second copy is let go.
      const present = await store.transaction(async (tx) => {
        if (!claimed) await noteGarbage(tx, accountId);
        return touchBlobs(tx, accountId, contents.keys(), clock.now());
      });
      for (const sha256 of present) {
        await full.discard(contents.get(sha256)?.key ?? '');
        contents.delete(sha256);
      }
      await full.commit();
    } finally {
      await full.abort();
    }
    const superfluous = await store.transaction(async (tx) => {
      const late: StoredContent[] = [];
      for (const content of contents.values()) {
        if (!(await insertBlob(tx, accountId, content, clock.now()))) late.push(content);
      }
      return late;
    });
    for (const { key } of superfluous) await blobs.delete(scope, key);
    stored += contents.size - superfluous.length;
  };

  return {
    async add(source, expected) {
      batch ??= blobs.batch(scope);
      const content = await batch.add(source, expected);
      if (staged.has(content.sha256)) await batch.discard(content.key);
      else {
        staged.set(content.sha256, content);
        bytes += content.size;
      }
      if (staged.size >= BATCH.contents || bytes >= BATCH.bytes) await flush();
      return { sha256: content.sha256, size: content.size };
    },
    async finish() {
      await flush();
      return stored;
    },
  };
}
