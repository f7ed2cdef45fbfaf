// What every content store must do, whatever lies behind it.
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Test } from 'tap';
import { type ListedContentStore, put, SMALL_CONTENT } from '../../control-plane/platform/blobs/content-store.js';
import { sha256 } from '../harness/sha256.js';

/** The bytes in pieces of `size`. */
export async function* pieces(bytes: Buffer, size = bytes.length || 1): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function listed(store: ListedContentStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { scope, key } of store.list()) keys.push(`${scope}/${key}`);
  return keys.sort();
}

export function contentStoreConformance(t: Test, open: () => Promise<ListedContentStore>): void {
  const hello = Buffer.from('hello\n');

  t.test('a stored content can be read whole and by range', async (t) => {
    const store = await open();
    for (const [content, size] of [
      [randomBytes(300_000), 1_000],
      [randomBytes(SMALL_CONTENT + 1), 50_000],
      [randomBytes(SMALL_CONTENT), 50_000],
      [hello, 1],
      [Buffer.alloc(0), 1],
    ] as const) {
      const stored = await put(store, '1', pieces(content, size));
      t.equal(stored.sha256, sha256(content));
      t.equal(stored.size, content.length);
      t.same(await store.stat('1', stored.key), { size: content.length });
      t.ok((await buffer(await store.open('1', stored.key))).equals(content));
      const half = content.length >> 1;
      t.ok((await buffer(await store.open('1', stored.key, { start: half }))).equals(content.subarray(half)));
      t.ok((await buffer(await store.open('1', stored.key, { end: half }))).equals(content.subarray(0, half)));
      t.equal((await buffer(await store.open('1', stored.key, { start: half, end: half }))).length, 0);
    }
  });

  t.test('bytes with another hash or size than declared are rejected and not stored', async (t) => {
    const store = await open();
    const right = { sha256: sha256(hello), size: hello.length };
    for (const wrong of [
      { ...right, sha256: sha256(Buffer.from('other')) },
      { ...right, size: hello.length - 1 },
      { ...right, size: hello.length + 1 },
    ]) {
      await t.rejects(put(store, '1', pieces(hello, 2), wrong), { name: 'BlobError', kind: 'mismatch' });
    }
    t.same(await listed(store), []);
    await put(store, '1', pieces(hello, 2), right);
    t.equal((await listed(store)).length, 1);
  });

  t.test('a batch remains usable after a rejected content, and is invisible before its commit', async (t) => {
    const store = await open();
    const batch = store.batch('1');
    const first = await batch.add(pieces(hello));
    await t.rejects(batch.add(pieces(hello), { sha256: sha256(hello), size: 1 }), {
      name: 'BlobError',
      kind: 'mismatch',
    });
    const second = await batch.add(pieces(Buffer.from('second')));
    const dropped = await batch.add(pieces(Buffer.from('dropped')));
    await batch.discard(dropped.key);
    t.same(await listed(store), []);
    await batch.commit();
    t.same(await listed(store), [`1/${first.key}`, `1/${second.key}`].sort());
    await batch.abort();
    t.equal((await listed(store)).length, 2, 'an abort after the commit changes nothing');
  });

  t.test('large and small contents of one batch are read and deleted independently', async (t) => {
    const store = await open();
    const batch = store.batch('1');
    const contents = Array.from({ length: 40 }, (_, i) => randomBytes(i % 4 === 0 ? 2 * SMALL_CONTENT : i * 500));
    const keys: string[] = [];
    for (const bytes of contents) keys.push((await batch.add(pieces(bytes, 30_000))).key);
    await batch.discard(keys[5] ?? '');
    await batch.commit();
    const there = new Set(keys.keys());
    const gone = (n: number) => there.delete(n);
    gone(5);
    for (const n of [5, 0, 39, 1, 2, 3, 38, 6, 7, 9, 10, 37, 11, 13, 14, 36, 35, 34, 33, 32, 31, 30, 29, 27]) {
      t.equal(await store.delete('1', keys[n] ?? ''), there.has(n), `content ${n}`);
      gone(n);
      t.same(await listed(store), [...there].map((left) => `1/${keys[left]}`).sort());
      for (const left of there) {
        const bytes = await buffer(await store.open('1', keys[left] ?? ''));
        if (!bytes.equals(contents[left] ?? hello)) t.fail(`content ${left} is another one`);
      }
    }
    await t.rejects(store.open('1', keys[1] ?? ''));
    t.equal(await store.stat('1', keys[1] ?? ''), null);
    await Promise.all([...there].map((left) => store.delete('1', keys[left] ?? '')));
    t.same(await listed(store), []);
  });

  t.test('an aborted batch stores nothing', async (t) => {
    const store = await open();
    const batch = store.batch('1');
    await batch.add(pieces(hello));
    await batch.abort();
    await batch.commit();
    t.same(await listed(store), []);
  });

  t.test('a failing stream stores nothing, and its error is passed on', async (t) => {
    const store = await open();
    async function* broken() {
      yield hello;
      throw new Error('the client went away');
    }
    await t.rejects(put(store, '1', broken()), { message: 'the client went away' });
    t.same(await listed(store), []);
  });

  t.test('deleting by an old key never deletes the same bytes stored later', async (t) => {
    const store = await open();
    const old = await put(store, '1', pieces(hello));
    const young = await put(store, '1', pieces(hello));
    t.not(old.key, young.key);
    t.equal(await store.delete('1', old.key), true);
    t.equal(await store.delete('1', old.key), false);
    t.equal(await store.stat('1', old.key), null);
    await t.rejects(store.open('1', old.key));
    t.ok((await buffer(await store.open('1', young.key))).equals(hello));
  });

  t.test('scopes are isolated: a key is unknown in another scope', async (t) => {
    const store = await open();
    const { key } = await put(store, '1', pieces(hello));
    t.equal(await store.stat('2', key), null);
    await t.rejects(store.open('2', key));
    t.equal(await store.delete('2', key), false);
    t.same(await listed(store), [`1/${key}`]);
  });

  t.test('concurrent batches do not interfere with each other', async (t) => {
    const store = await open();
    const contents = Array.from({ length: 200 }, (_, i) => Buffer.from(`content ${i % 50}`));
    const keys = await Promise.all(contents.map(async (bytes, i) => (await put(store, `${i % 3}`, pieces(bytes))).key));
    t.equal(new Set(keys).size, 200);
    await Promise.all(
      keys.map(async (key, i) => {
        t.ok((await buffer(await store.open(`${i % 3}`, key))).equals(contents[i] ?? hello));
      }),
    );
  });
}
