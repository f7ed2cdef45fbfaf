// Content store in objects. Before an object is written, the ledger names it, so that it is deleted if no row comes to
// refer to its contents.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { BlobError } from './blob-error.js';
import { checkScope, newGeneration, packedKey } from './content-places.js';
import {
  type ContentBatch,
  type ContentStore,
  type ExpectedContent,
  SMALL_CONTENT,
  type StoredContent,
} from './content-store.js';
import type { ObjectPacks } from './object-packs.js';
import { contentInObject, objectKeyOf } from './object-places.js';
import { checkStored, MissingObjectError, type ObjectStore } from './object-store.js';
import { contentIn, DamagedPackError, encodePack, type PackEntry } from './pack.js';

/** Which objects there are. `app/kept-objects.ts` keeps it in the database. */
export interface ObjectLedger {
  /** Before the bytes of an object are written. */
  name(object: { readonly objectKey: string; readonly contentKey: string | null }): Promise<void>;
  /** Once the contents of new objects are known, before a row refers to them. */
  setContents(named: readonly { readonly objectKey: string; readonly contentKey: string }[]): Promise<void>;
  /** No row refers to the objects, and none will. Does not reject: they are found later. */
  unused(objectKeys: readonly string[]): Promise<void>;
  /** A row of the object is gone. Does not reject. */
  checkSoon(objectKey: string): Promise<void>;
}

export interface ObjectContentsOptions {
  readonly objects: ObjectStore;
  readonly packs: ObjectPacks;
  readonly ledger: ObjectLedger;
  /** First part of the objects' keys. */
  readonly kind: string;
}

export function createObjectContents(options: ObjectContentsOptions): ContentStore {
  const { objects, packs, ledger, kind } = options;

  const readPacked = async (objectKey: string, slot: number, sha256: string): Promise<Buffer> => {
    const content = contentIn(await packs.read(objectKey), slot, sha256);
    if (content === null) throw new MissingObjectError(`${objectKey} ${slot}`);
    if (createHash('sha256').update(content).digest('hex') === sha256) return content;
    packs.forget(objectKey);
    throw new DamagedPackError(`content ${slot} of the pack ${objectKey} is damaged`);
  };

  return {
    batch(scope) {
      checkScope(scope);
      return createBatch(options, scope);
    },
    async open(scope, key, range = {}) {
      const { objectKey, slot, sha256 } = contentInObject(kind, scope, key);
      if (slot === null) return objects.open(objectKey, range);
      const bytes = (await readPacked(objectKey, slot, sha256)).subarray(range.start ?? 0, range.end);
      return Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false });
    },
    async stat(scope, key) {
      const { objectKey, slot, sha256 } = contentInObject(kind, scope, key);
      if (slot === null) return objects.stat(objectKey);
      try {
        return { size: (await readPacked(objectKey, slot, sha256)).length };
      } catch (error) {
        if (error instanceof MissingObjectError) return null;
        throw error;
      }
    },
    async delete(scope, key) {
      const { objectKey, slot } = contentInObject(kind, scope, key);
      if (slot === null) await ledger.unused([objectKey]);
      else await ledger.checkSoon(objectKey);
      return true;
    },
    address(scope, key, as) {
      const { objectKey, slot } = contentInObject(kind, scope, key);
      return slot === null ? objects.address(objectKey, as) : null;
    },
  };
}

function createBatch({ objects, packs, ledger, kind }: ObjectContentsOptions, scope: string): ContentBatch {
  /** Objects of large contents, by the key of the content. */
  const large = new Map<string, string>();
  const packed: PackEntry[] = [];
  const generationOfPack = newGeneration();
  const keyOfPack = objectKeyOf({ kind, scope, generation: generationOfPack, isPack: true });
  /** Contents whose hash was not known before their bytes. */
  const unnamed = new Set<string>();

  const addLarge = async (bytes: AsyncIterable<Buffer>, expected?: ExpectedContent): Promise<StoredContent> => {
    const generation = newGeneration();
    const objectKey = objectKeyOf({ kind, scope, generation, isPack: false });
    await ledger.name({ objectKey, contentKey: expected ? `${expected.sha256}-${generation}` : null });
    // If this fails, the object may still appear later: the ledger's check deletes it.
    const { sha256, size } = await objects.put(objectKey, bytes, expected);
    const key = `${sha256}-${generation}`;
    large.set(key, objectKey);
    if (!expected) unnamed.add(key);
    return { key, sha256, size };
  };

  return {
    async add(source, expected) {
      const pieces = source[Symbol.asyncIterator]();
      try {
        const { small, size } = await beginningOf(pieces, expected?.size);
        if (size > SMALL_CONTENT) return await addLarge(followedBy(small, pieces), expected);
        const bytes = Buffer.concat(small);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        checkStored({ sha256, size }, expected);
        const slot = packed.push({ sha256, bytes }) - 1;
        return { key: packedKey(sha256, generationOfPack, slot), sha256, size };
      } finally {
        await pieces.return?.();
      }
    },
    async discard(key) {
      const { objectKey, slot, sha256 } = contentInObject(kind, scope, key);
      if (objectKey === keyOfPack && slot !== null && packed[slot]) packed[slot] = { sha256, bytes: null };
      if (!large.delete(key)) return;
      unnamed.delete(key);
      await ledger.unused([objectKey]);
    },
    async commit() {
      await ledger.setContents(
        [...unnamed].map((contentKey) => ({ objectKey: large.get(contentKey) ?? '', contentKey })),
      );
      if (packed.some(({ bytes }) => bytes !== null)) {
        const bytes = encodePack(packed);
        await ledger.name({ objectKey: keyOfPack, contentKey: null });
        await objects.put(keyOfPack, bytes);
        packs.keep(keyOfPack, bytes);
      }
      packed.length = 0;
      large.clear();
      unnamed.clear();
    },
    async abort() {
      const written = [...large.values()];
      packed.length = 0;
      large.clear();
      unnamed.clear();
      if (written.length > 0) await ledger.unused(written);
    },
  };
}

/** Reads pieces until they end, or are more than a small content. */
async function beginningOf(pieces: AsyncIterator<Buffer>, longest = Number.POSITIVE_INFINITY) {
  const small: Buffer[] = [];
  let size = 0;
  while (size <= SMALL_CONTENT) {
    const next = await pieces.next();
    if (next.done) break;
    size += next.value.length;
    if (size > longest) throw new BlobError('mismatch', 'The bytes sent do not have the named hash and size.');
    small.push(next.value);
  }
  return { small, size };
}

async function* followedBy(first: Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield* first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
