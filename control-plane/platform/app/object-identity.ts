// Which object store an installation has. Both know the same random name, so that no service looks for its objects in a
// place that does not have them, where all of them would seem to be lost.
import { randomBytes } from 'node:crypto';
import type { ObjectStore } from '../blobs/object-store.js';
import { hasStoredBytes } from '../store/account-usage.js';
import { readMeta, writeMeta } from '../store/meta.js';
import type { Store } from '../store/sql.js';

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
