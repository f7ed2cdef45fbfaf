// A counter that rises with every change of who may do what. Caches of callers compare it, so that a change
// made by another process (an admin command beside the service) counts at once.
import { readMeta } from '../../platform/store/meta.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';

/** Part of every transaction that changes a key, an account or its status. */
export async function bumpAccessRevision(tx: Transaction): Promise<void> {
  await tx.run(
    `INSERT INTO meta (name, value) VALUES ('access_revision', '1')
     ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(meta.value AS INTEGER) + 1 AS TEXT)`,
  );
}

export async function readAccessRevision(db: Queries): Promise<string> {
  return (await readMeta(db, 'access_revision')) ?? '0';
}
