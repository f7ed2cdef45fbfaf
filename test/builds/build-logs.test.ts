import { appendFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { BuildLogs } from '../../control-plane/builds/logs/build-logs.js';
import { sha256 } from '../harness/sha256.js';
import { openLogs } from './open-logs.js';

async function all(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const textOf = async (logs: BuildLogs, id: string) => (await all(logs.stream(id))).toString();
const append = (logs: BuildLogs, id: string, offset: number, text: string) =>
  logs.append(id, offset, Buffer.from(text));

/** Where lines `first` to `last` begin and end. */
const lineRange = async (logs: BuildLogs, id: string, first: number, last: number) => ({
  start: (await logs.lineStart(id, first)).offset,
  end: (await logs.lineStart(id, Math.max(first, last + 1))).offset,
});

/** The lines of a text, computed in the simplest way. */
const linesOf = (text: string) => text.split(/(?<=\n)/).filter((line) => line !== '');

t.test('a log grows only at its end; repeats are ignored and gaps are requested', async (t) => {
  const woken: string[] = [];
  const logs = openLogs(t.testdir(), { onAppend: (id) => woken.push(id) });
  t.same(await append(logs, 'rb_1', 0, 'hello '), { length: 6 });
  t.same(await append(logs, 'rb_1', 0, 'hello '), { length: 6 }, 'the same again');
  t.same(await append(logs, 'rb_1', 3, 'lo world'), { length: 11 }, 'an overlap brings what is new');
  t.same(await append(logs, 'rb_1', 20, 'later'), { length: 11 }, 'a gap is not filled');
  t.same(await append(logs, 'rb_1', 11, ''), { length: 11 });
  t.same(await append(logs, 'rb_1', 11, '\nend'), { length: 15 });
  t.equal(await textOf(logs, 'rb_1'), 'hello world\nend');
  t.same(await logs.size('rb_1'), { length: 15, lines: 2 });
  t.same(woken, ['rb_1', 'rb_1', 'rb_1'], 'followers are woken by what is new, and by nothing else');
  await logs.close();
});

t.test('a build that has not logged has an empty log, and reading makes no file', async (t) => {
  const root = t.testdir();
  const logs = openLogs(root);
  t.same(await logs.size('rb_none'), { length: 0, lines: 0 });
  t.same(await logs.read('rb_none', 0, 100, false), {
    data: Buffer.alloc(0),
    offset: 0,
    nextOffset: 0,
    length: 0,
  });
  t.match(await logs.read('rb_none', 1, 100, true), { data: Buffer.alloc(0), nextOffset: 1, length: 0 });
  t.same(await lineRange(logs, 'rb_none', 1, 5), { start: 0, end: 0 });
  t.equal(await logs.tailOffset('rb_none', 10), 0);
  t.equal(await textOf(logs, 'rb_none'), '');
  await logs.remove('rb_none');
  t.same(readdirSync(root), []);
  for (const id of ['', '..', 'a/b', '../../x', 'rb_\0']) t.throws(() => logs.size(id), TypeError);
  await logs.close();
});

t.test('reading by lines and by offsets matches the appended text', async (t) => {
  const dir = t.testdir();
  let run = 0;
  const long = fc.integer({ min: 60_000, max: 70_000 }).map((n) => 'x'.repeat(n));
  const line = fc.oneof(
    { weight: 20, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
    { weight: 1, arbitrary: long },
  );
  const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\n\n', '')), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.array(fc.nat(40_000), { minLength: 1, maxLength: 10 }),
      fc.nat(),
      async (parts, sizes, seed) => {
        const expected = parts.map((part) => part.join('')).join('');
        const bytes = Buffer.from(expected);
        const root = join(dir, `${++run}`);
        let logs = openLogs(root);
        for (let at = 0, i = 0; at < bytes.length; i++) {
          at = (await logs.append('rb_1', at, bytes.subarray(at, at + (sizes[i % sizes.length] ?? 0) + 1))).length;
          if ((seed + i) % 5 > 0) continue;
          await logs.close();
          logs = openLogs(root);
        }
        const lines = linesOf(expected);
        t.same(await logs.size('rb_1'), { length: bytes.length, lines: lines.length });
        const between = async (start: number, end: number) =>
          (await all(logs.stream('rb_1', { start, end }))).toString();
        for (const [first, last] of [
          [1, 1],
          [1, lines.length],
          [seed % 70, (seed % 70) + 3],
          [lines.length, lines.length + 5],
          [lines.length + 1, lines.length + 2],
          [5, 2],
        ] as const) {
          const { start, end } = await lineRange(logs, 'rb_1', Math.max(1, first), last);
          t.equal(await between(start, end), lines.slice(Math.max(0, first - 1), Math.max(0, last)).join(''));
        }
        for (const count of [0, 1, 2, seed % 70, lines.length, lines.length + 1]) {
          const tail = count === 0 ? [] : lines.slice(-count);
          t.equal(await between(await logs.tailOffset('rb_1', count), bytes.length), tail.join(''));
        }
        let read = '';
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const piece = await logs.read('rb_1', at, 4 + ((sizes[i % sizes.length] ?? 0) % 30_000), true);
          t.equal(piece.offset, at);
          read += piece.data.toString();
          at = piece.nextOffset;
        }
        t.equal(read, expected);
        await logs.close();
      },
    ),
    { numRuns: 40 },
  );
});

t.test('a character is never cut: held back while the log grows, passed over when it was begun before', async (t) => {
  const logs = openLogs(t.testdir());
  const text = Buffer.from('a é 語 😀!');
  await logs.append('rb_1', 0, text.subarray(0, text.length - 3));
  const held = await logs.read('rb_1', 0, 100, false);
  t.equal(held.data.toString(), 'a é 語 ');
  t.equal(held.length, text.length - 3);
  t.equal((await logs.read('rb_1', held.nextOffset, 100, false)).data.length, 0);
  t.equal((await logs.read('rb_1', held.nextOffset, 100, true)).data.length, 2, 'an ended log gives what is there');
  await logs.append('rb_1', text.length - 3, text.subarray(text.length - 3));
  t.equal((await logs.read('rb_1', held.nextOffset, 100, false)).data.toString(), '😀!');

  for (let offset = 0; offset <= text.length; offset++) {
    const piece = await logs.read('rb_1', offset, 100, true);
    t.notMatch(piece.data.toString(), '\ufffd', `from ${offset}`);
    t.equal(piece.nextOffset, text.length);
    t.equal(piece.offset - offset <= 3, true);
    t.same(piece.data, text.subarray(piece.offset));
  }
  const beyond = { data: Buffer.alloc(0), nextOffset: text.length + 1, length: text.length };
  t.match(await logs.read('rb_1', text.length + 1, 100, true), beyond);

  const stray = Buffer.from([0x80, 0x80, 0x41, 0xe2, 0x42, 0xf0, 0x9f, 0x43, 0xff, 0xbf, 0xbf, 0xbf, 0xbf, 0xc3]);
  await logs.append('rb_2', 0, stray);
  const chunks: Buffer[] = [];
  for (let at = 0; at < stray.length; ) {
    const piece = await logs.read('rb_2', at, 4, true);
    t.ok(piece.nextOffset > at, 'bytes that are no text do not stop the reading');
    t.equal(piece.offset, at);
    chunks.push(piece.data);
    at = piece.nextOffset;
  }
  t.same(Buffer.concat(chunks), stray);
  await logs.close();
});

t.test('a log is complete only with the length and the hash that its sender names', async (t) => {
  for (const restart of [false, true]) {
    const root = t.testdir();
    let logs = openLogs(root);
    const whole = Buffer.from('first line\nsecond line\n'.repeat(20_000));
    const part = { from: 0, length: whole.length, sha256: sha256(whole) };
    await logs.append('rb_1', 0, whole.subarray(0, 100_000));
    if (restart) {
      await logs.close();
      logs = openLogs(root);
    }
    t.same(await logs.finish('rb_1', part), { complete: false, wanted: 100_000 }, 'short');
    await logs.append('rb_1', 100_000, whole.subarray(100_000));
    t.same(await logs.finish('rb_1', part), { complete: true });
    t.same(await logs.finish('rb_1', part), { complete: true }, 'repeats are harmless');

    t.same(await logs.finish('rb_1', { ...part, sha256: sha256(Buffer.from('x')) }), {
      complete: false,
      wanted: 0,
    });
    t.same(await logs.size('rb_1'), { length: 0, lines: 0 }, 'what is wrong is taken away');
    await logs.append('rb_1', 0, whole);
    t.same(await logs.finish('rb_1', part), { complete: true }, 'sent again');
    t.same(await logs.finish('rb_1', { ...part, length: 5 }), { complete: false, wanted: 0 }, 'too long');
    t.same(await logs.finish('rb_2', { from: 0, length: 0, sha256: sha256(Buffer.alloc(0)) }), {
      complete: true,
    });
    await logs.close();
  }
});

t.test('a moved build continues after a marker line, and its second part is verified separately', async (t) => {
  for (const restart of [false, true]) {
    const root = t.testdir();
    let logs = openLogs(root);
    await append(logs, 'rb_1', 0, 'half a li');
    const { length } = await logs.appendLine('rb_1', '[cidermill] moved to another Mac');
    t.equal(await textOf(logs, 'rb_1'), 'half a li\n[cidermill] moved to another Mac\n');
    if (restart) {
      await logs.close();
      logs = openLogs(root);
    }
    const second = Buffer.from('again\nfrom the start\n');
    await logs.append('rb_1', length, second);
    t.same(await logs.finish('rb_1', { from: length, length: second.length, sha256: sha256(second) }), {
      complete: true,
    });
    const bad = { from: length, length: second.length, sha256: sha256(Buffer.from('other')) };
    t.same(await logs.finish('rb_1', bad), { complete: false, wanted: length }, 'only the second part is asked for');
    t.equal((await logs.size('rb_1')).length, length);
    t.same(await logs.appendLine('rb_1', '[cidermill] lost'), { length: length + 17 }, 'no empty line between');
    t.equal((await logs.size('rb_1')).lines, 3);
    await logs.close();
  }
});

t.test('an index that is missing, behind, damaged or ahead of its log is repaired', async (t) => {
  const text = Array.from({ length: 20_000 }, (_, i) => `line ${i + 1} ${'.'.repeat(i % 40)}\n`).join('');
  const lines = linesOf(text);
  const spoil: Record<string, (base: string) => void> = {
    missing: (base) => rmSync(`${base}.log.index`),
    behind: (base) => truncateSync(`${base}.log.index`, 40),
    torn: (base) => truncateSync(`${base}.log.index`, 31),
    zeros: (base) => writeFileSync(`${base}.log.index`, Buffer.alloc(600)),
    noise: (base) => writeFileSync(`${base}.log.index`, Buffer.alloc(600, 0x01)),
    'more at its end': (base) => appendFileSync(`${base}.log.index`, Buffer.alloc(24, 0xff)),
    'log cut by a power loss': (base) => truncateSync(`${base}.log`, 200_001),
  };
  for (const [name, harm] of Object.entries(spoil)) {
    const root = t.testdir();
    const first = openLogs(root);
    await append(first, 'rb_1', 0, text);
    await first.close();
    harm(join(root, '_1', 'rb_1'));
    const logs = openLogs(root);
    const { length } = await logs.size('rb_1');
    await logs.append('rb_1', length, Buffer.from(text).subarray(length));
    t.same(await logs.size('rb_1'), { length: text.length, lines: lines.length }, name);
    for (const line of [1, 2, 9_999, 20_000]) {
      const { start, end } = await lineRange(logs, 'rb_1', line, line);
      t.equal((await all(logs.stream('rb_1', { start, end }))).toString(), lines[line - 1], `${name}: line ${line}`);
    }
    await logs.close();
  }
});

t.test('many builds share few open files, each with its own log', async (t) => {
  const logs = openLogs(t.testdir(), { maxOpen: 3 });
  const ids = Array.from({ length: 40 }, (_, i) => `rb_${i}`);
  const lengths = new Map(ids.map((id) => [id, 0]));
  for (let round = 0; round < 5; round++) {
    await Promise.all(
      ids.map(async (id) => {
        const { length } = await append(logs, id, lengths.get(id) ?? 0, `${id} ${round}\n`);
        lengths.set(id, length);
        await logs.read(id, 0, 10, false);
      }),
    );
  }
  for (const id of ids) t.equal(await textOf(logs, id), [0, 1, 2, 3, 4].map((round) => `${id} ${round}\n`).join(''));
  await logs.remove('rb_7');
  t.same(await logs.size('rb_7'), { length: 0, lines: 0 });
  await append(logs, 'rb_7', 0, 'anew');
  t.equal(await textOf(logs, 'rb_7'), 'anew');
  await logs.close();
});

t.test('concurrent appends to one build are serialized', async (t) => {
  const logs = openLogs(t.testdir());
  const bytes = Buffer.from(Array.from({ length: 3_000 }, (_, i) => `${i}\n`).join(''));
  const pieces = Array.from({ length: Math.ceil(bytes.length / 100) }, (_, i) => i * 100);
  await Promise.all(pieces.map((at) => logs.append('rb_1', at, bytes.subarray(at, at + 100))));
  t.ok((await all(logs.stream('rb_1'))).equals(bytes));
  await logs.close();
});

t.test('a log cannot exceed its limit, and stays usable after a failed append', async (t) => {
  const root = t.testdir();
  const logs = openLogs(root, { maxBytes: 10 });
  await append(logs, 'rb_1', 0, '12345678');
  await t.rejects(append(logs, 'rb_1', 8, 'abc'), RangeError);
  t.same(await append(logs, 'rb_1', 8, '90'), { length: 10 });
  writeFileSync(join(root, '_2'), 'a file where a folder belongs');
  await t.rejects(append(logs, 'rb_2', 0, 'x'), { code: 'ENOTDIR' });
  rmSync(join(root, '_2'));
  t.same(await append(logs, 'rb_2', 0, 'x'), { length: 1 });
  await logs.close();
});
