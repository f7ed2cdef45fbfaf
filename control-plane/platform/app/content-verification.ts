// Whether the contents that rows name are stored. Reads no bytes, and nothing in the database is held up.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { placeOf } from '../blobs/content-places.js';
import type { Contents } from '../blobs/contents.js';
import { inParallel, nullIfMissing } from '../blobs/file-system.js';
import { contentInObject } from '../blobs/object-places.js';
import type { ObjectStore } from '../blobs/object-store.js';
import type { ContentPlaces, NamedContents } from '../store/content-places.js';
import type { KnownKeys } from './object-collection.js';

/** Where contents are: files of a data folder, or objects. */
export interface ContentPlacesHere {
  /** The file or object that holds a content; small contents share one. */
  placeOf(kind: keyof Contents, accountId: number, key: string): string;
  isThere(place: string): Promise<boolean>;
}

/** @param root the folder of `openContents` */
export const contentFiles = (root: string): ContentPlacesHere => ({
  placeOf: (kind, accountId, key) => placeOf(join(root, kind, 'content'), String(accountId), key).path,
  isThere: async (path) => (await stat(path).catch(nullIfMissing)) !== null,
});

export const contentObjects = (objects: ObjectStore): ContentPlacesHere => ({
  placeOf: (kind, accountId, key) => contentInObject(kind, String(accountId), key).objectKey,
  isThere: async (key) => (await objects.stat(key)) !== null,
});

const PAGE = 500;
const AT_ONCE = 12;

/**
 * Returns the first `most` contents of a kind that rows name and that are not stored.
 *
 * @param known returns those of an account's keys that rows name now: a content may be deleted while it is looked for
 * @throws BlobError `away`
 */
export async function missingContents(
  here: ContentPlacesHere,
  { kind, named, known, most }: { kind: keyof Contents; named: NamedContents; known: KnownKeys; most: number },
): Promise<{ readonly place: string; readonly accountId: number; readonly contents: number }[]> {
  const missing: { place: string; accountId: number; contents: number }[] = [];
  for await (const page of named.pages(PAGE)) {
    const places = byPlace(page, (accountId, key) => here.placeOf(kind, accountId, key));
    const gone: string[] = [];
    await inParallel([...places.keys()], AT_ONCE, async (place) => {
      if (!(await here.isThere(place))) gone.push(place);
    });
    for (const place of gone) {
      const { accountId, keys } = places.get(place) as Held;
      const contents = (await known(accountId, keys)).size;
      if (contents > 0) missing.push({ place, accountId, contents });
    }
    if (missing.length >= most) break;
  }
  return missing.slice(0, most);
}

interface Held {
  readonly accountId: number;
  readonly keys: string[];
}

function byPlace(page: ContentPlaces, placeFor: (accountId: number, key: string) => string): Map<string, Held> {
  const places = new Map<string, Held>();
  for (const { accountId, key } of page) {
    const place = placeFor(accountId, key);
    const held = places.get(place) ?? { accountId, keys: [] };
    held.keys.push(key);
    places.set(place, held);
  }
  return places;
}
