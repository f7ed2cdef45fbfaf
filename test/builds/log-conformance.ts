// What every form of build logs does: run on files, and on rows and objects.
import fc from 'fast-check';
import type { Test } from 'tap';
import type { BuildLogs } from '../../control-plane/builds/logs/build-logs.js';
import { sha256 } from '../harness/sha256.js';
import type { LogForm } from './log-forms.js';

export async function all(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}
export const textOf = async (logs: BuildLogs, id: string) => (await all(logs.stream(id))).toString();
export const append = (logs: BuildLogs, id: string, offset: number, text: string) =>
  logs.append(id, offset, Buffer.from(text));

/** Where lines `first` to `last` begin and end. */
export const lineRange = async (logs: BuildLogs, id: string, first: number, last: number) => ({
  start: (await logs.lineStart(id, first)).offset,
  end: (await logs.lineStart(id, Math.max(first, last + 1))).offset,
});

/** The lines of a text, computed in the simplest way. */
export const linesOf = (text: string) => text.split(/(?<=\n)/).filter((line) => line !== '');

export const START = Date.parse('2026-01-01T00:00:00Z');
const KiB = 1024;

/** The times of lines that begin at these offsets. */
export async function timesAt(logs: BuildLogs, id: string, offsets: readonly number[]) {
  const originOf = await logs.origins(id, offsets[0] ?? 0, (offsets.at(-1) ?? 0) + 1);
  return offsets.map((offset) => originOf(offset).at);
}

type Form = (t: Test) => LogForm | Promise<LogForm>;

export function growing(t: Test, form: Form): void {
  t.test('a log grows only at its end; repeats are ignored and gaps are requested', async (t) => {
    const woken: string[] = [];
    const logs = (await (await form(t)).open({ onAppend: (id) => woken.push(id) })).logs;
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

  t.test('a build that has not logged has an empty log', async (t) => {
    const { logs } = await (await form(t)).open();
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
    for (const id of ['', '..', 'a/b', '../../x', 'rb_\0']) await t.rejects(async () => logs.size(id), TypeError);
    await logs.close();
  });

  t.test('reading by lines and by offsets matches the appended text', async (t) => {
    const place = await form(t);
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
          const id = `rb_${++run}`;
          let { logs, settle } = await place.open();
          for (let at = 0, i = 0; at < bytes.length; i++) {
            at = (await logs.append(id, at, bytes.subarray(at, at + (sizes[i % sizes.length] ?? 0) + 1))).length;
            if ((seed + i) % 5 > 0) continue;
            await logs.close();
            ({ logs, settle } = await place.open());
          }
          if (seed % 2 === 0) await settle(id);
          const lines = linesOf(expected);
          t.same(await logs.size(id), { length: bytes.length, lines: lines.length });
          const between = async (start: number, end: number) => (await all(logs.stream(id, { start, end }))).toString();
          for (const [first, last] of [
            [1, 1],
            [1, lines.length],
            [seed % 70, (seed % 70) + 3],
            [lines.length, lines.length + 5],
            [lines.length + 1, lines.length + 2],
            [5, 2],
          ] as const) {
            const { start, end } = await lineRange(logs, id, Math.max(1, first), last);
            t.equal(await between(start, end), lines.slice(Math.max(0, first - 1), Math.max(0, last)).join(''));
          }
          for (const count of [0, 1, 2, seed % 70, lines.length, lines.length + 1]) {
            const tail = count === 0 ? [] : lines.slice(-count);
            t.equal(await between(await logs.tailOffset(id, count), bytes.length), tail.join(''));
          }
          let read = '';
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const piece = await logs.read(id, at, 4 + ((sizes[i % sizes.length] ?? 0) % 30_000), true);
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
    const logs = (await (await form(t)).open()).logs;
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
}

export function ending(t: Test, form: Form): void {
  t.test('a log is complete only with the length and the hash that its sender names', async (t) => {
    for (const restart of [false, true]) {
      const place = await form(t);
      let { logs } = await place.open();
      const whole = Buffer.from('first line\nsecond line\n'.repeat(20_000));
      const part = { from: 0, length: whole.length, sha256: sha256(whole) };
      await logs.append('rb_1', 0, whole.subarray(0, 100_000));
      if (restart) {
        await logs.close();
        ({ logs } = await place.open());
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
      const place = await form(t);
      let { logs } = await place.open();
      await append(logs, 'rb_1', 0, 'half a li');
      const { length } = await logs.appendLine('rb_1', '[cidermill] moved to another Mac');
      t.equal(await textOf(logs, 'rb_1'), 'half a li\n[cidermill] moved to another Mac\n');
      if (restart) {
        await logs.close();
        ({ logs } = await place.open());
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

  t.test('many builds share few open files, each with its own log', async (t) => {
    const logs = (await (await form(t)).open({ maxOpen: 3 })).logs;
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
    const logs = (await (await form(t)).open()).logs;
    const bytes = Buffer.from(Array.from({ length: 3_000 }, (_, i) => `${i}\n`).join(''));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 100) }, (_, i) => i * 100);
    await Promise.all(pieces.map((at) => logs.append('rb_1', at, bytes.subarray(at, at + 100))));
    t.ok((await all(logs.stream('rb_1'))).equals(bytes));
    await logs.close();
  });

  t.test('a log cannot exceed its limit, and stays usable after a failed append', async (t) => {
    const logs = (await (await form(t)).open({ maxBytes: 10 })).logs;
    await append(logs, 'rb_1', 0, '12345678');
    await t.rejects(append(logs, 'rb_1', 8, 'abc'), RangeError);
    t.same(await append(logs, 'rb_1', 8, '90'), { length: 10 });
    t.same(await append(logs, 'rb_2', 0, 'x'), { length: 1 });
    await logs.close();
  });
}

export const batches = fc.array(
  fc.record({
    text: fc.constantFrom('a\n', 'bc', '\n', 'one\ntwo\nthree\n', 'x'.repeat(40)),
    ms: fc.constantFrom(0, 1, 60, 99, 100, 5_000, -30),
    own: fc.boolean(),
    reopens: fc.boolean(),
  }),
  { minLength: 1, maxLength: 20 },
);

export function describing(t: Test, form: Form): void {
  t.test('every byte has its time of arrival, at most 100 ms early, and its source', async (t) => {
    const place = await form(t);
    let now = START;
    let opened = await place.open({ now: () => now });
    let n = 0;
    await fc.assert(
      fc.asyncProperty(batches, fc.boolean(), async (all, settles) => {
        const id = `rb_${++n}`;
        let text = '';
        const arrived: number[] = [];
        const isOwn: boolean[] = [];
        for (const batch of all) {
          now += batch.ms;
          const range = { from: text.length, to: text.length + batch.text.length };
          await opened.logs.append(id, text.length, Buffer.from(batch.text), batch.own ? [range] : []);
          text += batch.text;
          for (const _ of batch.text) {
            arrived.push(now);
            isOwn.push(batch.own);
          }
          if (!batch.reopens) continue;
          await opened.logs.close();
          opened = await place.open({ now: () => now });
        }
        if (settles) await opened.settle(id);
        const originOf = await opened.logs.origins(id, 0, text.length);
        return arrived.every((at, i) => {
          const origin = originOf(i);
          const late = at - (origin.at ?? 0);
          return late >= 0 && late < 100 && origin.isOwn === isOwn[i];
        });
      }),
      { numRuns: 60 },
    );
    await opened.logs.close();
  });

  t.test(
    'a part that is sent again has no time, for its bytes came before; the line of the service has one',
    async (t) => {
      const place = await form(t);
      let now = START;
      let { logs, settle } = await place.open({ now: () => now });
      await append(logs, 'rb_1', 0, 'kept\n');
      t.match(await logs.finish('rb_1', { from: 0, length: 5, sha256: '0'.repeat(64) }), { wanted: 0 });
      now += 60_000;
      await append(logs, 'rb_1', 0, 'one\ntwo\n');
      await logs.close();
      ({ logs, settle } = await place.open({ now: () => now }));
      now += 60_000;
      await append(logs, 'rb_1', 8, 'three\n');
      await logs.appendLine('rb_1', '[cidermill] attempt 2');
      const times = [null, null, null, START + 120_000];
      t.same(await timesAt(logs, 'rb_1', [0, 4, 8, 14]), times);
      await settle('rb_1');
      t.same(await timesAt(logs, 'rb_1', [0, 4, 8, 14]), times);
      t.same(await timesAt(logs, 'rb_none', [0]), [null]);
      await logs.close();
    },
  );

  t.test('the index stays small if a host marks everything, twice and out of order', async (t) => {
    const { logs } = await (await form(t)).open();
    const bytes = Buffer.from('x\n'.repeat(50_000));
    const each = Array.from({ length: 50_000 }, (_, i) => ({ from: 2 * i, to: 2 * i + 2 }));
    await logs.append('rb_1', 0, bytes, [...each, ...each.toReversed()]);
    const originOf = await logs.origins('rb_1', 0, bytes.length);
    const isOwn = (line: number) => originOf(2 * (line - 1)).isOwn;
    t.ok(isOwn(1) && isOwn(9_999));
    t.notOk(isOwn(10_001), 'later lines are not marked');
    await logs.close();
  });

  t.test('a reader that follows gets every byte once, at any division of the log, also across its end', async (t) => {
    const { logs, settle } = await (await form(t)).open();
    let runs = 0;
    const sizes = fc.array(fc.integer({ min: 1, max: 200 * KiB }), { minLength: 1, maxLength: 20 });
    const text = Buffer.from('zwölf Boxkämpfer 😀\n'.repeat(100_000));
    await fc.assert(
      fc.asyncProperty(sizes, sizes, async (appended, asked) => {
        const id = `rb_${runs++}`;
        let [at, length] = [0, 0];
        const got: Buffer[] = [];
        const follow = async (most: number, ended: boolean) => {
          const read = await logs.read(id, at, most, ended);
          t.equal(read.offset, at);
          if (length - at > 3) t.ok(read.data.length > 0, 'it goes on');
          got.push(read.data);
          at = read.nextOffset;
        };
        for (let i = 0; i < appended.length; i++) {
          const bytes = Buffer.from(text.subarray(length, length + (appended[i] ?? 0)));
          ({ length } = await logs.append(id, length, bytes));
          await follow(4 + (asked[i % asked.length] ?? 0), false);
        }
        await settle(id);
        while (at < length) await follow(64 * KiB, true);
        t.ok(Buffer.concat(got).equals(text.subarray(0, length)));
        for (let line = 1; line < 400; line += 133) {
          const { offset, lines } = await logs.lineStart(id, line);
          if (line <= lines) t.equal(await logs.lineAt(id, offset), line);
        }
      }),
      { numRuns: 15 },
    );
    await logs.close();
  });

  t.test('a follower gets what was appended; after a cut, what was sent again', async (t) => {
    const { logs } = await (await form(t)).open();
    const first = Buffer.alloc(100 * KiB, 'a line\n');
    await logs.append('rb_1', 0, first);
    t.same((await logs.read('rb_1', 0, 256 * KiB, false)).data, first);
    const second = Buffer.alloc(100 * KiB, 'wrong\n');
    await logs.append('rb_1', first.length, second);
    t.same((await logs.read('rb_1', first.length, 256 * KiB, false)).data, second);

    const right = Buffer.alloc(200 * KiB, 'right\n');
    const part = { from: 0, length: right.length, sha256: sha256(right) };
    t.same(await logs.finish('rb_1', part), { complete: false, wanted: 0 });
    await logs.append('rb_1', 0, right);
    t.same((await logs.read('rb_1', first.length, 256 * KiB, false)).data, right.subarray(first.length));
    t.same(await logs.finish('rb_1', part), { complete: true });
    await logs.close();
  });

  t.test('logs are listed with the time of their last change, and removed whole', async (t) => {
    const { logs, settle } = await (await form(t)).open();
    await append(logs, 'rb_one', 0, 'one\n');
    await append(logs, 'rb_two', 0, 'two\n');
    await settle('rb_two');
    const listed = async () => {
      const found: string[] = [];
      for await (const some of logs.list()) found.push(...some);
      return found.sort();
    };
    t.same(await listed(), ['rb_one', 'rb_two']);
    t.type(await logs.writtenAt('rb_two'), 'number');
    for (const id of ['rb_one', 'rb_two', 'rb_none']) await logs.remove(id);
    t.same(await listed(), []);
    t.equal(await logs.writtenAt('rb_two'), null);
    t.equal(await logs.bytes('rb_two'), 0);
    t.equal(await textOf(logs, 'rb_two'), '');
    await logs.close();
  });
}
