// A log that is followed while it grows: what passes by comes from memory, and is what stands on the disk.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { createFsBuildLogs } from '../../control-plane/builds/logs/fs-build-logs.js';
import { createRecentPieces } from '../../control-plane/builds/logs/recent-pieces.js';
import { sha256 } from '../platform/content-store-conformance.js';

const KiB = 1024;
const piece = (bytes: number, fill = 'a line\n') => Buffer.alloc(bytes, fill);

t.test('nothing is kept that nobody reads', async (t) => {
  const recent = createRecentPieces();
  recent.add(0, piece(100 * KiB));
  t.equal(recent.from(0), null);
  const next = piece(100 * KiB);
  recent.add(100 * KiB, next);
  t.ok(recent.from(150 * KiB)?.equals(next.subarray(50 * KiB)), 'somebody has read');
  let at = 200 * KiB;
  for (; at <= 2400 * KiB; at += 100 * KiB) recent.add(at, piece(100 * KiB));
  t.equal(recent.from(at - 1), null, 'nobody has for a long time');
});

t.test('small pieces are not kept, and large ones no longer than they are new', async (t) => {
  const recent = createRecentPieces();
  recent.from(0);
  recent.add(0, piece(10));
  t.equal(recent.from(0), null);
  let at = 10;
  for (let i = 0; i < 30; i++, at += 100 * KiB) {
    recent.add(at, piece(100 * KiB));
    t.equal(recent.from(at)?.length, 100 * KiB);
  }
  t.equal(recent.from(10), null, 'an old one');
  t.ok(recent.from(at - 1500 * KiB));
  t.equal(recent.from(at), null, 'the end');
  t.equal(recent.from(at - 1), null, 'whoever has reached the end needs nothing of it');
});

t.test('a follower gets the memory that was appended; after a cut, what was sent anew', async (t) => {
  const root = t.testdir();
  const logs = createFsBuildLogs({ root, maxOpen: 8, maxBytes: 1e8, filterBytes: 8192, onAppend: () => {} });
  const first = piece(100 * KiB);
  await logs.append('rb_1', 0, first);
  t.same((await logs.read('rb_1', 0, 256 * KiB, false)).data, first, 'from the disk');
  const second = piece(100 * KiB, 'wrong\n');
  await logs.append('rb_1', first.length, second);
  const read = await logs.read('rb_1', first.length, 256 * KiB, false);
  t.equal(read.data.buffer, second.buffer, 'from memory');
  t.same(read.data, second);

  const right = piece(200 * KiB, 'right\n');
  const part = { from: 0, length: right.length, sha256: sha256(right) };
  t.same(await logs.finish('rb_1', part), { complete: false, wanted: 0 });
  await logs.append('rb_1', 0, right);
  t.same((await logs.read('rb_1', first.length, 256 * KiB, false)).data, right.subarray(first.length));
  t.same(await logs.finish('rb_1', part), { complete: true });
  await logs.close();
});

t.test('whoever follows gets every byte once, however it was cut', async (t) => {
  const root = t.testdir();
  let runs = 0;
  const sizes = fc.array(fc.integer({ min: 1, max: 200 * KiB }), { minLength: 1, maxLength: 20 });
  const text = Buffer.from('zwölf Boxkämpfer 😀\n'.repeat(100_000));
  await fc.assert(
    fc.asyncProperty(sizes, sizes, async (appended, asked) => {
      const id = `rb_${runs++}`;
      const logs = createFsBuildLogs({
        root,
        maxOpen: 8,
        maxBytes: 1e8,
        filterBytes: 8192,
        onAppend: () => {},
      });
      let [at, length] = [0, 0];
      const got: Buffer[] = [];
      for (let i = 0; i < appended.length; i++) {
        const bytes = Buffer.from(text.subarray(length, length + (appended[i] ?? 0)));
        ({ length } = await logs.append(id, length, bytes));
        const read = await logs.read(id, at, 4 + (asked[i % asked.length] ?? 0), i === appended.length - 1);
        t.equal(read.offset, at);
        if (length - at > 3) t.ok(read.data.length > 0, 'it goes on');
        got.push(read.data);
        at = read.nextOffset;
      }
      const all = Buffer.concat(got);
      t.ok(all.equals(readFileSync(join(root, id.slice(-2), `${id}.log`)).subarray(0, all.length)));
      t.ok(all.equals(text.subarray(0, all.length)));
      await logs.close();
    }),
    { numRuns: 40 },
  );
});
