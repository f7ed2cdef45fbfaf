// Searching logs through their index finds exactly what reading them whole finds, whatever happened to log and index.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import t from 'tap';
import { createLogSearch, type LogMatches } from '../../control-plane/builds/domain/log-search.js';
import type { BuildLogs, LogRange } from '../../control-plane/builds/logs/build-logs.js';
import { createFsBuildLogs } from '../../control-plane/builds/logs/fs-build-logs.js';
import { runs } from '../harness/soak.js';
import { sha256 } from '../platform/content-store-conformance.js';

const child = fileURLToPath(new URL('./log-append-child.js', import.meta.url));

const open = (root: string, filterBytes = 8192) =>
  createFsBuildLogs({
    root,
    maxOpen: 8,
    maxBytes: 100_000_000,
    filterBytes,
    now: () => 1,
    onAppend: () => {},
  });

async function search(logs: BuildLogs, text: string, ranges: readonly LogRange[]): Promise<LogMatches> {
  const found = createLogSearch({ text, from: 1, count: 500, lineChars: 500, pageChars: 10_000_000 });
  for (const range of ranges) {
    found.goTo(range.firstLine, range.start);
    for await (const piece of logs.stream('rb_1', range)) found.read(piece);
  }
  return found.end();
}
const indexed = async (logs: BuildLogs, text: string) =>
  search(logs, text, await logs.rangesWith('rb_1', text));
const whole = async (logs: BuildLogs, text: string) =>
  search(logs, text, [{ start: 0, end: (await logs.size('rb_1')).length, firstLine: 1 }]);
const bytesOf = (ranges: readonly LogRange[]) => ranges.reduce((sum, { start, end }) => sum + end - start, 0);

/** Some 40 bytes a line; `word` in every line whose number `every` divides. */
const lines = (count: number, word: string, every: number) =>
  Array.from(
    { length: count },
    (_, i) => `${i + 1} compiling the module ${i % 97}${(i + 1) % every === 0 ? ` ${word}` : ''}\n`,
  ).join('');

t.test('a word is found only where a match is allowed', async (t) => {
  const logs = open(t.testdir());
  const text = `${lines(40_000, '', 50_000)}the only needle\n${lines(40_000, '', 50_000)}`;
  await logs.append('rb_1', 0, Buffer.from(text));
  const { matches, total } = await indexed(logs, 'NEEDLE');
  t.same([matches[0]?.n, total], [40_001, 1]);
  const ranges = await logs.rangesWith('rb_1', 'needle');
  t.ok(bytesOf(ranges) < 200_000, `${bytesOf(ranges)} of ${text.length} bytes are read`);
  t.equal(ranges.at(-1)?.end, text.length, 'what the index does not cover yet is among them');
  t.same(await logs.rangesWith('rb_1', 'xy'), [{ start: 0, end: text.length, firstLine: 1 }], 'too short');
  t.same(
    await logs.rangesWith('rb_1', 'module'),
    [{ start: 0, end: text.length, firstLine: 1 }],
    'everywhere',
  );
  t.same(await logs.rangesWith('rb_2', 'needle'), [], 'no log');
  await logs.close();
});

t.test('the same lines are found with the index and without, however the log came', async (t) => {
  const dir = t.testdir();
  const words = [
    'Error:',
    'wArning',
    '오류',
    'É',
    '\u212aelvin',
    'fa\x1b[31mil\x1b[0med',
    '***',
    '\ufffd',
    '😀',
  ];
  const line = fc.array(fc.constantFrom(...words, ' ', 'x'), { maxLength: 6 }).map((some) => some.join(''));
  const filler = fc.integer({ min: 1, max: 2_500 }).map((count) => lines(count, 'filler', 7));
  const long = fc
    .tuple(fc.integer({ min: 60_000, max: 1_300_000 }), line)
    .map(([n, end]) => `${'y'.repeat(n)}${end}`);
  const part = fc.oneof(
    { weight: 4, arbitrary: line },
    { weight: 10, arbitrary: filler },
    { weight: 1, arbitrary: long },
  );
  let run = 0;
  let less = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(part, fc.constantFrom('\n', '\r\n', '')), { minLength: 20, maxLength: 60 }),
      fc.array(fc.integer({ min: 5_000, max: 700_000 }), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(0, 256, 8192),
      fc.nat(),
      async (parts, sizes, filterBytes, seed) => {
        const bytes = Buffer.from(parts.flat().join(''));
        const root = join(dir, `${++run}`);
        let logs = open(root, filterBytes);
        for (let at = 0, i = 0; at < bytes.length; i++) {
          at = (await logs.append('rb_1', at, bytes.subarray(at, at + (sizes[i % sizes.length] ?? 1))))
            .length;
          if ((seed + i) % 4 > 0) continue;
          await logs.close();
          // What a process that was killed while it wrote leaves behind.
          const file = join(root, '_1', 'rb_1.search');
          if (existsSync(file)) truncateSync(file, Math.max(0, statSync(file).size - (seed % 300)));
          logs = open(root, filterBytes);
        }
        for (const text of [
          'error:',
          'WARNING',
          '오류',
          'é',
          'kelvin',
          'failed',
          '***',
          '\ufffd',
          '😀',
          'x é',
          'filler',
        ]) {
          t.equal(JSON.stringify(await indexed(logs, text)), JSON.stringify(await whole(logs, text)), text);
        }
        if (bytesOf(await logs.rangesWith('rb_1', 'error:')) < bytes.length) less++;
        await logs.close();
        rmSync(root, { recursive: true, force: true });
      },
    ),
    { numRuns: runs(8, 15) },
  );
  t.ok(less >= run / 8, `${less} of ${run} searches did not read all of the log`);
});

t.test('a missing or damaged index is rebuilt from the log once', async (t) => {
  const text = lines(12_000, 'needle', 3_000);
  const size = (file: string) => statSync(file).size;
  const spoil: Record<string, (file: string) => void> = {
    missing: (file) => rmSync(file),
    empty: (file) => truncateSync(file, 0),
    torn: (file) => truncateSync(file, size(file) - 100),
    'torn in a header': (file) => truncateSync(file, 5),
    zeros: (file) => writeFileSync(file, Buffer.alloc(size(file))),
    noise: (file) => writeFileSync(file, Buffer.alloc(size(file), 0x5a)),
    'a part without its bits': (file) => writeFileSync(file, readFileSync(file).fill(0, 800, 900)),
    'more at its end': (file) => appendFileSync(file, Buffer.alloc(300)),
    'of another log': (file) => writeFileSync(file, readFileSync(file).subarray(-size(file) / 2)),
  };
  for (const [name, harm] of Object.entries(spoil)) {
    const root = t.testdir();
    const file = join(root, '_1', 'rb_1.search');
    const first = open(root);
    await first.append('rb_1', 0, Buffer.from(text));
    await first.close();
    const before = readFileSync(file);
    harm(file);
    const logs = open(root);
    t.same(
      (await indexed(logs, 'needle')).matches.map(({ n }) => n),
      [3_000, 6_000, 9_000, 12_000],
      name,
    );
    t.ok(readFileSync(file).equals(before), `${name}: the index is whole again`);
    await logs.close();
  }
});

t.test(
  'a log that is cut back and sent again is found as it is now, also when the process died in between',
  async (t) => {
    const first = lines(12_000, 'before', 500);
    // Lines of the same length: the stretches end at the same offsets.
    const second = first.replaceAll('before', 'behind');
    const part = { from: 0, length: second.length, sha256: sha256(Buffer.from(second)) };
    for (const dies of [false, true]) {
      const root = t.testdir();
      let logs = open(root);
      await logs.append('rb_1', 0, Buffer.from(first));
      t.same(await logs.finish('rb_1', part), { complete: false, wanted: 0 });
      if (dies) {
        await logs.close();
        logs = open(root);
      }
      await logs.append('rb_1', 0, Buffer.from(second));
      t.same(await logs.finish('rb_1', part), { complete: true });
      t.equal((await indexed(logs, 'behind')).total, 24);
      t.equal((await indexed(logs, 'before')).total, 0);
      await logs.close();
    }

    const root = t.testdir();
    const log = open(root);
    await log.append('rb_1', 0, Buffer.from(first));
    await log.close();
    truncateSync(join(root, '_1', 'rb_1.log'), 100_000);
    const after = open(root);
    await after.append('rb_1', 100_000, Buffer.from(second).subarray(100_000));
    t.same(
      await indexed(after, 'behind'),
      await whole(after, 'behind'),
      'a power loss took the end of the log',
    );
    await after.close();
  },
);

t.test('a line of more than 1 MiB is found as its parts are searched', async (t) => {
  const logs = open(t.testdir());
  // The second part begins inside the escape sequence, and so with a text that the line itself does not have.
  const line = `${'y'.repeat((1024 - 16) * 1024 - 3)}\x1b[31mend${'y'.repeat(20_000)}`;
  await logs.append('rb_1', 0, Buffer.from(`${line}\n${lines(5_000, '', 9_000)}`));
  t.equal((await whole(logs, '1mend')).total, 1);
  t.equal((await indexed(logs, '1mend')).total, 1);
  t.equal((await indexed(logs, 'yend')).total, 1);
  await logs.close();
});

t.test(
  'a process that is killed while it appends leaves an index that the next one goes on with',
  async (t) => {
    const root = t.testdir();
    for (let round = 0; round < 5; round++) {
      const appending = fork(child, [root]);
      const exit = once(appending, 'exit');
      for (let batch = 0; batch <= round; batch++) await once(appending, 'message');
      for (let i = 0; i < 50 * round; i++) await new Promise(setImmediate);
      appending.kill('SIGKILL');
      t.equal((await exit)[1], 'SIGKILL');

      const file = join(root, '_1', 'rb_1.search');
      const { size } = statSync(file);
      const logs = open(root);
      const found = await indexed(logs, 'needle');
      t.ok(found.total > 0);
      t.same(found, await whole(logs, 'needle'), `${found.total} lines after ${round + 1} kills`);
      await logs.close();
      // An append of the child ends one stretch at most.
      const missing = statSync(file).size - size;
      t.ok(size > 0 && missing <= 12 + 8192, `${missing} bytes of the index were missing`);
    }
  },
);

t.test('a search of a log that grows covers it up to the moment of the call', async (t) => {
  const logs = open(t.testdir());
  const text = Buffer.from(lines(30_000, 'needle', 10));
  const lengths: Promise<number>[] = [];
  const appending = (async () => {
    for (let at = 0; at < text.length; at += 50_000) {
      await logs.append('rb_1', at, text.subarray(at, at + 50_000));
      lengths.push(
        logs.rangesWith('rb_1', 'needle').then(async (ranges) => {
          const end = ranges.at(-1)?.end ?? 0;
          const expected =
            text
              .subarray(0, end)
              .toString()
              .match(/needle/g)?.length ?? 0;
          t.equal((await search(logs, 'needle', ranges)).total, expected);
          return end;
        }),
      );
    }
  })();
  await appending;
  const ends = await Promise.all(lengths);
  t.same(
    ends,
    ends.map((_, i) => Math.min(text.length, (i + 1) * 50_000)),
  );
  await logs.close();
});

t.test('attempts under a marker line, secrets that are masked, and a middle that was left out', async (t) => {
  const logs = open(t.testdir());
  await logs.append('rb_1', 0, Buffer.from(`${lines(8_000, 'token=***', 4_000)}half a li`));
  const { length } = await logs.appendLine('rb_1', '[cidermill] moved to another Mac');
  await logs.append(
    'rb_1',
    length,
    Buffer.from(`${lines(8_000, '', 9_000)}[cidermill] 12 bytes left out\nthe end`),
  );
  const numbers = async (text: string) => (await indexed(logs, text)).matches.map(({ n }) => n);
  t.same(await numbers('half a li'), [8_001]);
  t.same(await numbers('Moved to'), [8_002]);
  t.same(await numbers('left out'), [16_003]);
  t.same(await numbers('THE END'), [16_004]);
  t.same(await numbers('token=***'), [4_000, 8_000]);
  await logs.close();
});

t.test('the index takes at most an eighth of the log and is deleted with it', async (t) => {
  const root = t.testdir();
  const logs = open(root);
  const noise = Array.from({ length: 20_000 }, (_, i) => sha256(Buffer.from(`${i}`))).map((hex) =>
    Buffer.from(hex, 'hex').toString('base64'),
  );
  const text = Buffer.from(`${noise.join('\n')}\n`);
  await logs.append('rb_1', 0, text);
  const size = statSync(join(root, '_1', 'rb_1.search')).size;
  t.ok(size > 0 && size <= text.length / 8, `${size} bytes for ${text.length}`);
  t.equal((await indexed(logs, noise[777] ?? '')).matches[0]?.n, 778);
  t.ok(bytesOf(await logs.rangesWith('rb_1', noise[777] ?? '')) < text.length / 2);
  await logs.remove('rb_1');
  t.same(readdirSync(join(root, '_1')), []);
  await logs.close();
});
