// Contents as objects: what the ledger finds after a process was killed at any instant.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { createObjectLedger } from '../../control-plane/platform/app/kept-objects.js';
import { collectObjects } from '../../control-plane/platform/app/object-collection.js';
import { BlobError } from '../../control-plane/platform/blobs/blob-error.js';
import { type ContentStore, put, SMALL_CONTENT } from '../../control-plane/platform/blobs/content-store.js';
import { objectContents } from '../../control-plane/platform/blobs/contents.js';
import { openFolderObjects } from '../../control-plane/platform/blobs/folder-objects.js';
import { createObjectPacks } from '../../control-plane/platform/blobs/object-packs.js';
import type { ObjectStore } from '../../control-plane/platform/blobs/object-store.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { createAdvancingClock } from '../../shared/clock.js';
import { putMigratedDatabase } from '../harness/migrated-database.js';
import { sha256 } from '../harness/sha256.js';
import { pieces } from './content-store-conformance.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const silent = pino({ level: 'silent' });

/** An object store in which a test can break things. */
function breakable(inner: ObjectStore) {
  const breaks = { put: false, delete: false };
  const kept = new Set<string>();
  const away = () => new BlobError('away', 'The store does not answer.');
  const objects: ObjectStore = {
    ...inner,
    async put(key, ...rest) {
      if (breaks.put) throw away();
      const stored = await inner.put(key, ...rest);
      kept.add(key);
      return stored;
    },
    async delete(keys) {
      if (breaks.delete) throw away();
      await inner.delete(keys);
      for (const key of keys) kept.delete(key);
    },
  };
  return { objects, kept, breaks };
}

async function start(t: Test) {
  const dir = t.testdir();
  const file = join(dir, 'objects.db');
  await putMigratedDatabase(file);
  const store = openSqlite(file);
  t.teardown(() => store.close());
  const clock = createAdvancingClock({ start: Date.parse('2026-03-01T00:00:00Z') });
  const { objects, kept, breaks } = breakable(await openFolderObjects(join(dir, 'store')));
  const core = { store, clock, limits: defaultLimits, log: silent, wake: { wake() {} } };
  /** As after a restart: nothing is in memory. */
  const open = () => {
    const packs = createObjectPacks(objects);
    const { blobs } = objectContents({ objects, packs, ledger: createObjectLedger(core) });
    return { packs, blobs };
  };
  /** The keys that rows refer to. */
  const rows = new Set<string>();
  const known = { blobs: async (_: number, keys: readonly string[]) => new Set(keys.filter((key) => rows.has(key))) };
  return {
    ...open(),
    open,
    clock,
    kept,
    breaks,
    rows,
    ledger: () => store.all<{ object_key: string; state: string }>('SELECT object_key, state FROM kept_objects'),
    collect: () => collectObjects({ ...core, objects, packs: open().packs }, known),
  };
}

const large = () => randomBytes(SMALL_CONTENT + 1_000);
const small = () => randomBytes(5_000);
const read = async (blobs: ContentStore, key: string) => buffer(await blobs.open('1', key));

t.test('contents of a batch are read, by range too, after a restart', async (t) => {
  const h = await start(t);
  const batch = h.blobs.batch('1');
  const contents = [large(), small(), Buffer.alloc(0), small(), large()];
  const keys: string[] = [];
  for (const [i, bytes] of contents.entries()) {
    const expected = i % 2 === 0 ? { sha256: sha256(bytes), size: bytes.length } : undefined;
    keys.push((await batch.add(pieces(bytes, 10_000), expected)).key);
  }
  await batch.commit();
  t.equal(h.kept.size, 3, 'two large ones and a pack');
  const { blobs } = h.open();
  for (const [i, bytes] of contents.entries()) {
    const key = keys[i] ?? '';
    t.ok((await read(blobs, key)).equals(bytes));
    t.ok((await buffer(await blobs.open('1', key, { start: 10, end: 20 }))).equals(bytes.subarray(10, 20)));
    t.same(await blobs.stat('1', key), { size: bytes.length });
    await t.rejects(blobs.open('2', key), { code: 'ENOENT' }, 'not of another account');
    t.equal(await blobs.stat('2', key), null);
  }
  await t.rejects(blobs.open('1', '../../x'), TypeError);
  await t.rejects(blobs.open('../1', keys[0] ?? ''), TypeError);
});

t.test('another hash is refused, the batch goes on, and an aborted batch leaves nothing for long', async (t) => {
  const h = await start(t);
  const batch = h.blobs.batch('1');
  const mismatch = { name: 'BlobError', kind: 'mismatch' };
  for (const bytes of [large(), small()]) {
    const size = bytes.length;
    await t.rejects(batch.add(pieces(bytes), { sha256: sha256(small()), size }), mismatch);
    await t.rejects(batch.add(pieces(bytes), { sha256: sha256(bytes), size: size - 1 }), mismatch);
  }
  const { key } = await batch.add(pieces(large()));
  await batch.discard(key);
  await batch.add(pieces(large()));
  await batch.add(pieces(small()));
  await batch.abort();
  await batch.commit();
  await h.collect();
  t.same([...h.kept], []);
  await h.clock.advance(2 * DAY);
  await h.collect();
  t.same(await h.ledger(), []);
});

t.test('what no row refers to is deleted once it is old, whenever its process was killed', async (t) => {
  const h = await start(t);
  // Killed before the bytes, before the commit, and before the rows.
  h.breaks.put = true;
  await t.rejects(put(h.blobs, '1', pieces(large())), { name: 'BlobError', kind: 'away' });
  await t.rejects(put(h.blobs, '1', pieces(small())), { name: 'BlobError', kind: 'away' });
  h.breaks.put = false;
  const uncommitted = h.blobs.batch('1');
  await uncommitted.add(pieces(large()));
  await put(h.blobs, '1', pieces(large()));
  await put(h.blobs, '1', pieces(small()));
  t.equal((await h.ledger()).length, 5);
  t.equal(h.kept.size, 3);

  await h.clock.advance(23 * HOUR);
  t.equal((await h.collect()).deleted, 0, 'their rows may still come');
  await h.clock.advance(2 * HOUR);
  t.equal((await h.collect()).deleted, 5);
  t.same([...h.kept], []);
  t.same(await h.ledger(), []);
});

t.test('what rows refer to stays, and goes with its last row even if nobody said so', async (t) => {
  const h = await start(t);
  const { key: whole } = await put(h.blobs, '1', pieces(large()));
  const { key: packed } = await put(h.blobs, '1', pieces(small()));
  h.rows.add(whole).add(packed);
  for (let day = 0; day < 20; day++) {
    await h.clock.advance(DAY);
    await h.collect();
  }
  t.equal(h.kept.size, 2);
  t.ok((await read(h.blobs, whole)).length > 0 && (await read(h.blobs, packed)).length > 0);

  // The process was killed between the deletion of the rows and the call of `delete`.
  h.rows.clear();
  await h.clock.advance(8 * DAY);
  await h.collect();
  t.same([...h.kept], []);
});

t.test('a deleted content goes soon; a pack shrinks, and goes with its last content', async (t) => {
  const h = await start(t);
  const { key: whole } = await put(h.blobs, '1', pieces(large()));
  const batch = h.blobs.batch('1');
  const contents = Array.from({ length: 40 }, () => randomBytes(20_000));
  const keys: string[] = [];
  for (const bytes of contents) keys.push((await batch.add(pieces(bytes))).key);
  await batch.commit();
  for (const key of [whole, ...keys]) h.rows.add(key);
  await h.clock.advance(2 * DAY);
  await h.collect();

  h.rows.delete(whole);
  await h.blobs.delete('1', whole);
  await h.collect();
  t.equal(h.kept.size, 1, 'the large one is gone');

  const remove = async (some: readonly string[]) => {
    for (const key of some) {
      h.rows.delete(key);
      await h.blobs.delete('1', key);
    }
    await h.collect();
  };
  await remove(keys.slice(0, 30));
  const { blobs, packs } = h.open();
  const [packKey = ''] = [...h.kept];
  t.ok((await packs.read(packKey)).length < 11 * 20_000, 'three quarters of it were unused');
  for (const [i, key] of keys.entries()) {
    if (i >= 30) t.ok((await read(blobs, key)).equals(contents[i] ?? Buffer.alloc(0)));
    else await t.rejects(read(blobs, key), { code: 'ENOENT' });
  }
  await remove(keys.slice(30));
  t.same([...h.kept], []);
  t.same(await h.ledger(), []);
});

t.test('while the store is away nothing is forgotten', async (t) => {
  const h = await start(t);
  const { key } = await put(h.blobs, '1', pieces(large()));
  await h.blobs.delete('1', key);
  h.breaks.delete = true;
  await t.rejects(h.collect(), { name: 'BlobError', kind: 'away' });
  t.equal((await h.ledger()).length, 1);
  h.breaks.delete = false;
  await h.clock.advance(HOUR);
  t.equal((await h.collect()).deleted, 1);
  t.same(await h.ledger(), []);
});

t.test('two processes check an object once', async (t) => {
  const h = await start(t);
  for (let i = 0; i < 30; i++) await put(h.blobs, '1', pieces(large()));
  await h.clock.advance(2 * DAY);
  const both = await Promise.all([h.collect(), h.collect()]);
  t.equal((both[0]?.deleted ?? 0) + (both[1]?.deleted ?? 0), 30);
  t.same([...h.kept], []);
});

t.test('a damaged pack gives no wrong bytes', async (t) => {
  const h = await start(t);
  const content = small();
  const { key } = await put(h.blobs, '1', pieces(content));
  const [packKey = ''] = [...h.kept];
  const { packs, blobs } = h.open();
  const bytes = Buffer.from(await packs.read(packKey));
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  packs.keep(packKey, bytes);
  await t.rejects(read(blobs, key), { name: 'DamagedPackError' });
  t.ok((await read(blobs, key)).equals(content), 'it is read again from the store');
  await t.rejects(read(blobs, `${'0'.repeat(64)}${key.slice(64)}`), { code: 'ENOENT' }, 'another content at its place');
});
