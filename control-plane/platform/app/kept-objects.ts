// The ledger of objects (`store/kept-objects.ts`): a row for each, from before its bytes are written until they are
// deleted. What was written without a row that refers to it, or lost that row, is found by its check.
import type { ObjectLedger } from '../blobs/object-contents.js';
import { checkNow, insertKeptObject, markUnused, nameKeptObject } from '../store/kept-objects.js';
import type { Transaction } from '../store/sql.js';
import type { Core } from './core.js';

export type ObjectLedgerDeps = Pick<Core, 'store' | 'clock' | 'limits' | 'wake' | 'log'>;

export function createObjectLedger({ store, clock, limits, wake, log }: ObjectLedgerDeps): ObjectLedger {
  /** The objects are checked later anyway. */
  const hint = async (write: (tx: Transaction) => Promise<void>) => {
    await store
      .transaction(async (tx) => {
        await write(tx);
        tx.onCommit(() => wake.wake('garbage'));
      })
      .catch((error: unknown) => log.warn({ err: error }, 'objects without a reference will be deleted later'));
  };
  return {
    name: (object) =>
      store.transaction((tx) => insertKeptObject(tx, { ...object, checkAt: clock.now() + limits.orphan_files_ms })),
    async setContents(named) {
      if (named.length === 0) return;
      await store.transaction(async (tx) => {
        for (const { objectKey, contentKey } of named) await nameKeptObject(tx, objectKey, contentKey);
      });
    },
    unused: (objectKeys) => hint((tx) => markUnused(tx, objectKeys, clock.now())),
    checkSoon: (objectKey) => hint((tx) => checkNow(tx, objectKey, clock.now())),
  };
}
