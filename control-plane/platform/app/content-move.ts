// Copies contents from files into an object store while the service does not run. Keys of contents stay the same, so no row
// that refers to one changes. The ledger of objects says what is complete: killed at any instant and run again, it goes on.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobError } from '../blobs/blob-error.js';
import { placeOf } from '../blobs/content-places.js';
import type { Contents } from '../blobs/contents.js';
import { inParallel, nullIfMissing } from '../blobs/file-system.js';
import { contentInObject } from '../blobs/object-places.js';
import type { ObjectStore } from '../blobs/object-store.js';
import type { MovedKind } from '../domain/moved-objects.js';
import type { ContentPlaces, NamedContents } from '../store/content-places.js';
import { completeObjects, nameMovedObjects, noteMovedObjects } from '../store/kept-objects.js';
import type { Store } from '../store/sql.js';
import { RECHECK_MS } from './object-collection.js';

/** What a copy of files into an object store needs. */
export interface MoveDeps {
  readonly store: Store;
  readonly objects: ObjectStore;
  /** The folder of the files: that of `openContents`, or that of the logs. */
  readonly root: string;
  readonly now: number;
  /** Called after each step, with what it has copied or found. */
  onProgress(count: number): void;
  /** Called for each file that is missing or damaged. */
  onLost(path: string): void;
  readonly signal: AbortSignal;
}

/** Contents that are read from the database at once, and objects that are copied at once. */
const PAGE = 250;
const AT_ONCE = 12;

/** A file that becomes an object: a large content, or a pack of small ones. */
interface Copied {
  readonly path: string;
  readonly objectKey: string;
  /** Null: a pack. */
  readonly content: { readonly key: string; readonly sha256: string } | null;
  /** Keys of those of its contents that are counted. */
  readonly keys: string[];
}

/** @throws BlobError `away` */
export async function moveContents(deps: MoveDeps, kind: keyof Contents, named: NamedContents): Promise<MovedKind> {
  const hash = createHash('sha256');
  /** Objects that this run has copied or found, or that are lost: packs are on many pages. */
  const done = new Map<string, 'copied' | 'lost'>();
  let [count, bytes] = [0, 0];
  for await (const page of named.pages(PAGE)) {
    deps.signal.throwIfAborted();
    const files = filesOf(join(deps.root, kind, 'content'), kind, page);
    const missing = [...files.values()].filter(({ objectKey }) => !done.has(objectKey));
    const complete = await completeObjects(deps.store, files.keys());
    const found: Copied[] = [];
    await inParallel(missing, AT_ONCE, async (file) => {
      const stored = complete.has(file.objectKey) ? await deps.objects.stat(file.objectKey) : null;
      if (stored !== null) bytes += stored.size;
      const isThere = stored !== null || (await stat(file.path).catch(nullIfMissing)) !== null;
      if (stored === null && isThere) found.push(file);
      if (!isThere) deps.onLost(file.path);
      done.set(file.objectKey, isThere ? 'copied' : 'lost');
    });
    bytes += await copyFiles(deps, found, (file) => {
      deps.onLost(file.path);
      done.set(file.objectKey, 'lost');
    });
    for (const { objectKey, keys } of files.values()) if (done.get(objectKey) === 'copied') count += keys.length;
    for (const { accountId, key } of page) addTo(hash, accountId, key);
    deps.onProgress(page.length);
  }
  return { kind, count, bytes, sha256: hash.digest('hex') };
}

const addTo = (hash: Hash, accountId: number, key: string) => hash.update(`${accountId}/${key}\n`);

/** Returns the files of contents, by the keys of their objects. */
function filesOf(root: string, kind: string, page: ContentPlaces): Map<string, Copied> {
  const files = new Map<string, Copied>();
  for (const { accountId, key } of page) {
    const scope = String(accountId);
    const { objectKey, slot, sha256 } = contentInObject(kind, scope, key);
    const content = slot === null ? { key, sha256 } : null;
    const file = files.get(objectKey) ?? { path: placeOf(root, scope, key).path, objectKey, content, keys: [] };
    file.keys.push(key);
    files.set(objectKey, file);
  }
  return files;
}

/** Returns the bytes of the objects. */
async function copyFiles(deps: MoveDeps, files: readonly Copied[], onDamaged: (file: Copied) => void) {
  const { store, objects, now } = deps;
  if (files.length === 0) return 0;
  await store.transaction((tx) =>
    nameMovedObjects(
      tx,
      files.map(({ objectKey, content }) => ({
        objectKey,
        contentKey: content?.key ?? null,
        checkAt: spread(objectKey, now),
      })),
    ),
  );
  const copied: string[] = [];
  let bytes = 0;
  await inParallel(files, AT_ONCE, async (file) => {
    deps.signal.throwIfAborted();
    const size = await copyFile(objects, file);
    if (size === null) return onDamaged(file);
    bytes += size;
    copied.push(file.objectKey);
  });
  await store.transaction((tx) => noteMovedObjects(tx, copied));
  return bytes;
}

/** Copies a file and reads the copy. Returns its size, or null if the file is not the content that it is named after. */
async function copyFile(objects: ObjectStore, { path, objectKey, content }: Copied): Promise<number | null> {
  const known = await hashOf(createReadStream(path, { highWaterMark: 256 * 1024 }));
  if (known.sha256 !== (content?.sha256 ?? known.sha256)) return null;
  // It may be there from a run that was killed before it noted that.
  if ((await objects.stat(objectKey))?.size !== known.size || !(await isCopy(objects, objectKey, known))) {
    await objects.put(objectKey, createReadStream(path, { highWaterMark: 256 * 1024 }), known);
    if (!(await isCopy(objects, objectKey, known)))
      throw new BlobError('failed', `the object ${objectKey} is not a copy of ${path}`);
  }
  return known.size;
}

interface Known {
  readonly sha256: string;
  readonly size: number;
}

async function isCopy(objects: ObjectStore, objectKey: string, { sha256, size }: Known): Promise<boolean> {
  const stored = await hashOf(await objects.open(objectKey));
  return stored.sha256 === sha256 && stored.size === size;
}

/** Returns hash and size of a stream. */
export async function hashOf(source: AsyncIterable<Buffer>): Promise<Known> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of source) {
    hash.update(piece);
    size += piece.length;
  }
  return { sha256: hash.digest('hex'), size };
}

/** When an object is checked next: not all of them at once. */
const spread = (objectKey: string, now: number): number =>
  now + Math.floor((RECHECK_MS * (1 + Number.parseInt(objectKey.slice(-4), 16) / 0x10000)) / 2);
