// Which object store an installation has. Both know the same random name, so that no service looks for its objects in a
// place that does not have them, where all of them would seem to be lost.
import { randomBytes } from 'node:crypto';
import type { ObjectStore } from '../blobs/object-store.js';
import type { MovedObjects } from '../domain/moved-objects.js';
import { hasStoredBytes } from '../store/account-usage.js';
import { forgetAllObjects } from '../store/kept-objects.js';
import { readMeta, writeMeta } from '../store/meta.js';
import type { Queries, Store, Transaction } from '../store/sql.js';

const NAME = 'objects_id';
/** Before the name while its object may be missing. */
const NEW = 'new:';

/**
 * `unset`: the installation has objects, and no store is given; `files`: it has files, which no store has; `other`: this store is
 * not its own.
 */
export type WrongPlace = 'unset' | 'files' | 'other';

/** @example objectOf('5f0c') // 'installation/5f0c' */
const objectOf = (name: string): string => `installation/${name}`;

/**
 * Looks whether the store is that of the installation, and makes it so at the first start.
 *
 * @param objects null: contents are files
 * @returns null: it is
 * @throws BlobError `away`
 */
export async function claimObjects(store: Store, objects: ObjectStore | null): Promise<WrongPlace | null> {
  const known = await readMeta(store, NAME);
  if (objects === null) return known === null ? null : 'unset';
  // Of several processes that start at once one chooses the name, and each stores the same object.
  const name = known ?? (await chooseName(store));
  if (name === null) return 'files';
  if (!name.startsWith(NEW)) return (await objects.stat(objectOf(name))) === null ? 'other' : null;
  const chosen = name.slice(NEW.length);
  await objects.put(objectOf(chosen), Buffer.from(`${chosen}\n`));
  await store.transaction((tx) => writeMeta(tx, NAME, chosen));
  return null;
}

/** Returns null if there are files already. */
async function chooseName(store: Store): Promise<string | null> {
  return store.transaction(async (tx) => {
    const other = await readMeta(tx, NAME);
    if (other !== null) return other;
    if (await hasStoredBytes(tx)) return null;
    const name = `${NEW}${randomBytes(12).toString('hex')}`;
    await writeMeta(tx, NAME, name);
    return name;
  });
}

/** In `meta`: a copy of files into an object store that was begun. */
const COPY = 'objects_copy';

/** A copy of files into an object store. */
export interface ObjectCopy {
  /** Becomes the name that installation and store have in common. */
  readonly name: string;
  /** What was copied, once the objects are what is used. */
  readonly done: MovedObjects | null;
}

export async function readObjectCopy(q: Queries): Promise<ObjectCopy | null> {
  const text = await readMeta(q, COPY);
  return text === null ? null : JSON.parse(text);
}

/** Whether contents are objects. */
export const hasObjects = async (q: Queries): Promise<boolean> => (await readMeta(q, NAME)) !== null;

/** Whether the store has the objects of a copy. */
export const isPlaceOf = async ({ name }: ObjectCopy, objects: ObjectStore): Promise<boolean> =>
  (await objects.stat(objectOf(name))) !== null;

/**
 * Begins a copy, or continues one into the same place. The files stay what is used.
 *
 * @param forget deletes further rows about another place
 * @throws BlobError `away`
 */
export async function beginObjectCopy(
  store: Store,
  objects: ObjectStore,
  forget: (tx: Transaction) => Promise<void>,
): Promise<{ readonly name: string; readonly earlier: 'none' | 'here' | 'elsewhere' }> {
  const begun = await readObjectCopy(store);
  if (begun !== null && (await isPlaceOf(begun, objects))) return { name: begun.name, earlier: 'here' };
  const name = randomBytes(12).toString('hex');
  await store.transaction(async (tx) => {
    await forgetAllObjects(tx);
    await forget(tx);
    await writeMeta(tx, COPY, JSON.stringify({ name, done: null } satisfies ObjectCopy));
  });
  await objects.put(objectOf(name), Buffer.from(`${name}\n`));
  return { name, earlier: begun === null ? 'none' : 'elsewhere' };
}

/** Returns the values of `meta` that make the objects what is used. */
export const completedCopy = (name: string, done: MovedObjects): Readonly<Record<string, string>> => ({
  [NAME]: name,
  [COPY]: JSON.stringify({ name, done } satisfies ObjectCopy),
});
