// A log that is followed while it grows, also across a cut.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { sha256 } from '../harness/sha256.js';
import { openLogs } from './open-logs.js';

const KiB = 1024;
const piece = (bytes: number, fill = 'a line\n') => Buffer.alloc(bytes, fill);

t.test('a follower gets what was appended; after a cut, what was sent again', async (t) => {
  const root = t.testdir();
  const logs = openLogs(root);
  const first = piece(100 * KiB);
  await logs.append('rb_1', 0, first);
  t.same((await logs.read('rb_1', 0, 256 * KiB, false)).data, first);
  const second = piece(100 * KiB, 'wrong\n');
  await logs.append('rb_1', first.length, second);
  const read = await logs.read('rb_1', first.length, 256 * KiB, false);
  t.same(read.data, second);

  const right = piece(200 * KiB, 'right\n');
  const part = { from: 0, length: right.length, sha256: sha256(right) };
  t.same(await logs.finish('rb_1', part), { complete: false, wanted: 0 });
  await logs.append('rb_1', 0, right);
  t.same((await logs.read('rb_1', first.length, 256 * KiB, false)).data, right.subarray(first.length));
  t.same(await logs.finish('rb_1', part), { complete: true });
  await logs.close();
});

t.test('a reader that follows gets every byte once, at any division of the log', async (t) => {
  const root = t.testdir();
  let runs = 0;
  const sizes = fc.array(fc.integer({ min: 1, max: 200 * KiB }), { minLength: 1, maxLength: 20 });
  const text = Buffer.from('zwölf Boxkämpfer 😀\n'.repeat(100_000));
  await fc.assert(
    fc.asyncProperty(sizes, sizes, async (appended, asked) => {
      const id = `rb_${runs++}`;
      const logs = openLogs(root);
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
