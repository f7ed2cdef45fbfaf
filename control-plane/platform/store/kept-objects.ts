// The objects in the object store, so that those without a reference are found without listing the store.
import { int, text } from '../domain/fields.js';
import { inChunks } from './in-chunks.js';
import { readNumber } from './read-number.js';
import type { Queries, Transaction } from './sql.js';
import { type Selected, table } from './table.js';

/**
 * `new`: its bytes are being written, or nothing has verified yet that a row refers to it; `kept`: a row did when it was
 * checked last; `unused`: no row refers to it, and none will.
 */
export type ObjectState = 'new' | 'kept' | 'unused';

export const keptObjects = table('kept_objects', {
  objectKey: text(),
  /** Key of the content; null for a pack of contents, and until a content's hash is known. */
  contentKey: text().orNull,
  state: text<ObjectState>(),
  /** When it is checked next, ms. */
  checkAt: int(),
});
export type KeptObject = Selected<typeof keptObjects>;

export async function insertKeptObject(
  tx: Transaction,
  of: { readonly objectKey: string; readonly contentKey: string | null; readonly checkAt: number },
): Promise<void> {
  await keptObjects.insert(tx, { ...of, state: 'new' });
}

export async function nameKeptObject(tx: Transaction, objectKey: string, contentKey: string): Promise<void> {
  await keptObjects.update(tx, { objectKey }, { contentKey });
}

/** Marks objects that no row refers to. */
export async function markUnused(tx: Transaction, objectKeys: Iterable<string>, now: number): Promise<void> {
  for (const { list, params } of inChunks(objectKeys)) {
    await tx.run(`UPDATE kept_objects SET state = 'unused', check_at = :now WHERE object_key IN (${list})`, {
      ...params,
      now,
    });
  }
}

/** Lets an object be checked now; a new one is checked when it is old enough. */
export async function checkNow(tx: Transaction, objectKey: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE kept_objects SET check_at = :now WHERE object_key = :objectKey AND state = 'kept' AND check_at > :now`,
    { objectKey, now },
  );
}

/** Returns objects whose check is due, and lets nobody else check them until `until`. */
export function claimDueObjects(
  tx: Transaction,
  { now, until, limit }: { readonly now: number; readonly until: number; readonly limit: number },
): Promise<KeptObject[]> {
  return keptObjects.allOf(
    tx,
    `UPDATE kept_objects SET check_at = :until
     WHERE check_at <= :now AND object_key IN (
       SELECT object_key FROM kept_objects WHERE check_at <= :now ORDER BY check_at, object_key LIMIT :limit)
     RETURNING ${keptObjects.columns}`,
    { now, until, limit },
  );
}

/** Returns when the next check is due, or null if there are no objects. */
export const nextCheck = (q: Queries): Promise<number | null> =>
  readNumber(q, 'SELECT check_at FROM kept_objects ORDER BY check_at, object_key LIMIT 1');

/** Notes that rows refer to the objects, unless they have become unused in between. */
export async function keepObjects(tx: Transaction, objectKeys: Iterable<string>, checkAt: number): Promise<void> {
  for (const { list, params } of inChunks(objectKeys)) {
    await tx.run(
      `UPDATE kept_objects SET state = 'kept', check_at = :checkAt WHERE object_key IN (${list}) AND state <> 'unused'`,
      { ...params, checkAt },
    );
  }
}

/** Forgets objects whose bytes have been deleted. */
export async function forgetObjects(tx: Transaction, objectKeys: Iterable<string>): Promise<void> {
  for (const { list, params } of inChunks(objectKeys)) {
    await tx.run(`DELETE FROM kept_objects WHERE object_key IN (${list})`, params);
  }
}

/** Moves the checks of new objects by `ms`, after a step of the service's clock. */
export async function shiftChecks(tx: Transaction, ms: number): Promise<void> {
  await tx.run(`UPDATE kept_objects SET check_at = check_at + :ms WHERE state = 'new'`, { ms });
}

const insertMoved = keptObjects.inserter({ onConflict: 'ON CONFLICT (object_key) DO NOTHING' });

/** Names objects that are about to be copied, unless an earlier copy named them. */
export async function nameMovedObjects(tx: Transaction, objects: readonly Omit<KeptObject, 'state'>[]): Promise<void> {
  for (const object of objects) await insertMoved(tx, { ...object, state: 'new' });
}

/** Notes that objects are complete. */
export async function noteMovedObjects(tx: Transaction, objectKeys: Iterable<string>): Promise<void> {
  for (const { list, params } of inChunks(objectKeys))
    await tx.run(`UPDATE kept_objects SET state = 'kept' WHERE object_key IN (${list})`, params);
}

const states = keptObjects.pick('objectKey', 'state');

/** Returns those of the objects that are complete. */
export async function completeObjects(q: Queries, objectKeys: Iterable<string>): Promise<Set<string>> {
  const complete = new Set<string>();
  for (const { list, params } of inChunks(objectKeys))
    for (const { objectKey } of await states.all(q, `WHERE object_key IN (${list}) AND state = 'kept'`, params))
      complete.add(objectKey);
  return complete;
}

/** Forgets all objects of a place that is not used. */
export async function forgetAllObjects(tx: Transaction): Promise<void> {
  await tx.run('DELETE FROM kept_objects', {});
}
