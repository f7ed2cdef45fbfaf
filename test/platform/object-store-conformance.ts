// What every object store must do, whatever lies behind it.
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Test } from 'tap';
import type { ObjectStore } from '../../control-plane/platform/blobs/object-store.js';
import { sha256 } from '../harness/sha256.js';
import { pieces } from './content-store-conformance.js';

export interface OpenedObjects {
  readonly objects: ObjectStore;
  /** Returns everything below the store's place, unfinished writes too: keys and names of files. */
  everything(): Promise<readonly string[]>;
}

/** @param options.part size of the parts in which the store writes */
export function objectStoreConformance(
  t: Test,
  open: (t: Test) => Promise<OpenedObjects>,
  { part = 8 * 1024 * 1024 }: { readonly part?: number } = {},
): void {
  const hello = Buffer.from('hello\n');
  const missing = { name: 'MissingObjectError', code: 'ENOENT' };

  t.test('stored bytes are read whole and by range, whatever their size', async (t) => {
    const { objects } = await open(t);
    for (const [size, step] of [
      [0, 1],
      [1, 1],
      [70_000, 999],
      [part - 1, 65_536],
      [part, 65_536],
      [part + 1, part + 1],
      [2 * part, 100_000],
      [2 * part + 12_345, 3 * part],
    ] as const) {
      const bytes = randomBytes(size);
      const key = `sizes/of-${size}.bin`;
      t.same(await objects.put(key, pieces(bytes, step)), { size, sha256: sha256(bytes) }, `${size} bytes`);
      t.same(await objects.stat(key), { size });
      const half = size >> 1;
      const read = async (range?: { start?: number; end?: number }) => buffer(await objects.open(key, range));
      t.ok((await read()).equals(bytes), 'whole');
      t.ok((await read({ start: half })).equals(bytes.subarray(half)), 'the second half');
      t.ok((await read({ end: half })).equals(bytes.subarray(0, half)), 'the first half');
      t.ok((await read({ start: half, end: half + 10 })).equals(bytes.subarray(half, half + 10)));
      t.equal((await read({ start: half, end: half })).length, 0, 'an empty range');
      t.equal((await read({ start: size })).length, 0, 'from the end');
      t.equal((await read({ start: size + 5, end: size + 9 })).length, 0, 'beyond the end');
      t.ok((await read({ start: 0, end: size + 100 })).equals(bytes), 'no more than there is');
    }
  });

  t.test('a buffer is stored as a stream is', async (t) => {
    const { objects } = await open(t);
    for (const bytes of [Buffer.alloc(0), hello, randomBytes(part + 17)]) {
      t.same(await objects.put('a/buffer', bytes), { size: bytes.length, sha256: sha256(bytes) });
      t.ok((await buffer(await objects.open('a/buffer'))).equals(bytes));
    }
  });

  t.test('bytes with another hash or size than expected are refused, and leave nothing', async (t) => {
    const { objects, everything } = await open(t);
    for (const bytes of [hello, randomBytes(2 * part + 5)]) {
      const right = { sha256: sha256(bytes), size: bytes.length };
      for (const wrong of [
        { ...right, sha256: sha256(Buffer.from('other')) },
        { sha256: sha256(Buffer.from('other')) },
        { ...right, size: bytes.length - 1 },
        { ...right, size: bytes.length + 1 },
        { size: 0 },
      ]) {
        await t.rejects(objects.put('wrong', pieces(bytes, 65_536), wrong), { name: 'BlobError', kind: 'mismatch' });
        t.equal(await objects.stat('wrong'), null);
      }
      t.same(await everything(), []);
    }
    await objects.put('right', pieces(hello, 2), { sha256: sha256(hello), size: hello.length });
    t.same(await objects.stat('right'), { size: hello.length });
  });

  t.test('a failing source leaves nothing, and its error is passed on', async (t) => {
    const { objects, everything } = await open(t);
    for (const size of [10, part + 10, 2 * part + 10]) {
      async function* broken() {
        yield* pieces(randomBytes(size), 65_536);
        throw new Error('the client went away');
      }
      await t.rejects(objects.put('broken', broken()), { message: 'the client went away' });
      t.equal(await objects.stat('broken'), null);
    }
    t.same(await everything(), []);
  });

  t.test('an object is replaced as a whole', async (t) => {
    const { objects } = await open(t);
    await objects.put('one', randomBytes(part + 5));
    await objects.put('one', hello);
    t.ok((await buffer(await objects.open('one'))).equals(hello));
  });

  t.test('missing objects are told apart from a store that does not answer', async (t) => {
    const { objects } = await open(t);
    await objects.check();
    await objects.put('here', hello);
    for (const key of ['nowhere', 'here/below', 'not/a/folder']) {
      t.equal(await objects.stat(key), null);
      await t.rejects(objects.open(key), missing);
      await t.rejects(objects.open(key, { start: 1, end: 2 }), missing);
      await objects.delete([key]);
    }
    t.same(await objects.stat('here'), { size: 6 });
  });

  t.test('many objects are deleted at once, missing ones too', async (t) => {
    const { objects, everything } = await open(t);
    const keys = Array.from({ length: 40 }, (_, i) => `many/${i % 3}/${i}`);
    await Promise.all(keys.map((key) => objects.put(key, hello)));
    await objects.put('many/kept', hello);
    t.equal((await everything()).length, 41);
    await objects.delete([...keys, ...Array.from({ length: 1_100 }, (_, i) => `many/none-${i}`)]);
    t.equal((await everything()).length, 1);
    t.same(await objects.stat('many/kept'), { size: 6 });
    await objects.delete([]);
  });

  t.test('concurrent writes and reads do not interfere', async (t) => {
    const { objects } = await open(t);
    const contents = Array.from({ length: 30 }, (_, i) => randomBytes(i % 10 === 0 ? part + i : 500 * i));
    await Promise.all(contents.map((bytes, i) => objects.put(`c/${i}`, pieces(bytes, 100_000))));
    const read = await Promise.all(contents.map(async (_, i) => buffer(await objects.open(`c/${i}`))));
    for (const [i, bytes] of contents.entries()) if (!read[i]?.equals(bytes)) t.fail(`object ${i} is another one`);
  });

  t.test('malformed keys are refused', async (t) => {
    const { objects } = await open(t);
    for (const key of ['', '/', '..', 'a/../b', '../../etc/passwd', '/a', 'a//b', 'a/', 'A', 'ü', '.a', 'a?b', 'a b']) {
      await t.rejects(objects.put(key, hello), TypeError, key);
      await t.rejects(objects.open(key), TypeError, key);
      await t.rejects(objects.stat(key), TypeError, key);
      await t.rejects(objects.delete(['a', key]), TypeError, key);
      t.throws(
        () => objects.address(key, { disposition: 'attachment', type: 'text/plain', validMs: 1_000 }),
        TypeError,
      );
    }
  });

  t.test('an unread stream can be closed', async (t) => {
    const { objects } = await open(t);
    const bytes = randomBytes(part + 100);
    await objects.put('closed', bytes);
    for (let i = 0; i < 30; i++) {
      const stream = await objects.open('closed');
      stream.destroy();
    }
    t.ok((await buffer(await objects.open('closed'))).equals(bytes));
  });
}
