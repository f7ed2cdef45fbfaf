// The index beside a log: after crashes anywhere, of another log, and on a full disk.
// Runs in: soak
import { copyFileSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { BuildLogs } from '../../control-plane/builds/logs/build-logs.js';
import { cases } from '../harness/soak.js';
import { openLogs } from './open-logs.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const clock = { now: START };
const open = (root: string) => openLogs(root, { maxOpen: 1, now: () => clock.now });

/** The lines of a text with their offsets, computed in the simplest way. */
function linesOf(text: string) {
  let offset = 0;
  return text.split(/(?<=\n)/).flatMap((line) => {
    const start = offset;
    offset += line.length;
    return line === '' ? [] : [{ line, start }];
  });
}

/** What the index says of each line of a text: what it is, whether the service wrote it, and when it came. */
async function described(logs: BuildLogs, id: string, text: string) {
  const originOf = await logs.origins(id, 0, text.length);
  return linesOf(text).map(({ line, start }) => {
    const { isOwn, at } = originOf(start);
    return [line, isOwn, at === null ? null : at - START] as const;
  });
}

async function findsAllLines(logs: BuildLogs, id: string, text: string) {
  const lines = linesOf(text);
  t.same(await logs.size(id), { length: text.length, lines: lines.length });
  for (const [i, { line, start }] of lines.entries()) {
    const at = [(await logs.lineStart(id, i + 1)).offset, await logs.lineAt(id, start)];
    const inside = await logs.lineAt(id, start + line.length - 1);
    if (at[0] !== start || at[1] !== i + 1 || inside !== i + 1)
      t.same([...at, inside], [start, i + 1, i + 1], `line ${i + 1}`);
  }
  t.equal((await logs.lineStart(id, lines.length + 1)).offset, text.length);
  t.equal(await logs.tailOffset(id, 1), lines.at(-1)?.start ?? 0);
}

const batch = fc.record({
  lines: fc.array(
    fc.record({
      own: fc.boolean(),
      text: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom('a', '', 'b c', '[cidermill] x') },
        { weight: 1, arbitrary: fc.constantFrom('x'.repeat(40_000), 'y\n'.repeat(50), 'z'.repeat(150_000)) },
      ),
      end: fc.constantFrom('\n', '\n', '\n', ''),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  ms: fc.constantFrom(0, 1, 60, 99, 100, 5_000, -30),
});

const crash = fc.record({
  kind: fc.constantFrom('log', 'index', 'both', 'byte', 'gone'),
  log: fc.double({ min: 0, max: 1, noNaN: true }),
  index: fc.double({ min: 0, max: 1, noNaN: true }),
});

t.test('after a crash anywhere the lines are those of the log, and no mark is on another line', async (t) => {
  const root = t.testdir();
  let n = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.array(batch, { minLength: 1, maxLength: 8 }), crash), {
        minLength: 1,
        maxLength: 3,
      }),
      async (parts) => {
        const id = `rb_${100 + n++}`;
        const path = join(root, id.slice(-2), `${id}.log`);
        let text = '';
        // When each byte arrived, and whether the service wrote it.
        let came: number[] = [];
        let isOwn: boolean[] = [];
        let logs = open(root);
        for (const [batches, { kind, ...places }] of parts) {
          for (const { lines, ms } of batches) {
            clock.now += ms;
            const offset = text.length;
            const service: { from: number; to: number }[] = [];
            for (const { own, text: line, end } of lines) {
              const from = text.length;
              text += line + end;
              const marked = own && end !== '' && linesOf(text.slice(0, from) + line).at(-1)?.start === from;
              if (marked) service.push({ from, to: text.length });
              for (let i = from; i < text.length; i++) isOwn.push(marked);
            }
            while (came.length < text.length) came.push(clock.now);
            await logs.append(id, offset, Buffer.from(text.slice(offset)), service);
          }
          await logs.close();
          const index = readFileSync(`${path}.index`);
          const at = Math.min(index.length - 1, Math.floor(places.index * index.length));
          if (kind === 'log' || kind === 'both')
            truncateSync(path, Math.min(text.length, Math.floor(places.log * (text.length + 1))));
          if (kind === 'index' || kind === 'both') truncateSync(`${path}.index`, at);
          if (kind === 'byte' && at >= 0) index.writeUInt8(index.readUInt8(at) ^ 0x55, at);
          if (kind === 'byte') writeFileSync(`${path}.index`, index);
          if (kind === 'gone') rmSync(`${path}.index`);
          text = readFileSync(path, 'latin1');
          came = came.slice(0, text.length);
          isOwn = isOwn.slice(0, text.length);
          logs = open(root);
          await findsAllLines(logs, id, text);
          const said = await described(logs, id, text);
          for (const [i, { start }] of linesOf(text).entries()) {
            const [, own, time] = said[i] as (typeof said)[number];
            const late = time === null ? 0 : (came[start] as number) - START - time;
            // With the end of its index a log loses times: its last lines have that of a line before.
            if ((kind === 'log' || kind === 'byte') && (late < 0 || late >= 100))
              t.fail(`${kind}: line ${i + 1} did not come then`);
            // Where nothing else was lost, it is as it was.
            if (kind === 'log' && parts.length === 1 && own !== isOwn[start]) t.fail(`line ${i + 1}: its mark`);
            // The lost times do not come back.
            isOwn[start] = own;
            if (time !== null && time !== came[start]) came[start] = time + START;
          }
        }
        await logs.close();
      },
    ),
    { numRuns: cases(25) },
  );
});

t.test('after a cut nothing is said of times, also if the process is killed before the bytes come', async (t) => {
  const logs = open(t.testdir());
  clock.now = START;
  await logs.append('rb_1', 0, Buffer.from('kept\n'));
  await logs.finish('rb_1', { from: 0, length: 5, sha256: '0'.repeat(64) });
  await logs.size('rb_2');
  await logs.append('rb_2', 0, Buffer.from('rb_1 is closed now\n'));
  clock.now += 60_000;
  await logs.append('rb_1', 0, Buffer.from('one\n'), [{ from: 0, to: 4 }]);
  t.same(await described(logs, 'rb_1', 'one\n'), [['one\n', true, null]]);
  await logs.close();
});

t.test('lines that a build prints in place of lost lines of the service count as lines of the build', async (t) => {
  const root = t.testdir();
  let logs = open(root);
  await logs.append('rb_1', 0, Buffer.from('one\ntwo\nthree\n'), [{ from: 0, to: 14 }]);
  await logs.close();
  truncateSync(join(root, '_1', 'rb_1.log'), 4);
  logs = open(root);
  await logs.append('rb_1', 4, Buffer.from('own\n'));
  const said = await described(logs, 'rb_1', 'one\nown\n');
  t.same(
    said.map(([line, isOwn]) => [line, isOwn]),
    [
      ['one\n', true],
      ['own\n', false],
    ],
  );
  await logs.close();
});

/** Three pieces, with a line of the service at the beginning of the second and one at the end of the third. */
async function threePieces(logs: BuildLogs, id: string) {
  const own = '[cidermill] x\n';
  const texts = [`${'a\n'.repeat(40_000)}`, `${own}${'b\n'.repeat(40_000)}`, `${'c\n'.repeat(40_000)}${own}`];
  let text = '';
  clock.now = START;
  for (const [i, part] of texts.entries()) {
    clock.now += 1_000;
    const from = text.length + part.indexOf(own);
    const service = i === 0 ? [] : [{ from, to: from + own.length }];
    await logs.append(id, text.length, Buffer.from(part), service);
    text += part;
  }
  return text;
}
/** The lines of the service, and the times that are said of any line. */
async function summary(logs: BuildLogs, id: string, text: string) {
  const said = await described(logs, id, text);
  return { own: said.filter(([, isOwn]) => isOwn).length, times: [...new Set(said.map(([, , at]) => at))] };
}

t.test('an index that is missing, short, damaged or of another log', async (t) => {
  const root = t.testdir();
  const damage = (path: string) => {
    const index = readFileSync(path);
    index.writeUInt8(index.readUInt8(28) ^ 1, 28);
    writeFileSync(path, index);
  };
  const cases: [name: string, change: (path: string) => void, expected: { own: number; times: (number | null)[] }][] = [
    ['nothing changed', () => undefined, { own: 2, times: [1000, 2000, 3000] }],
    ['missing', rmSync, { own: 0, times: [null] }],
    ['without its end', (path) => truncateSync(path, 40), { own: 0, times: [1000] }],
    ['empty', (path) => truncateSync(path, 0), { own: 0, times: [null] }],
    ['an entry damaged', damage, { own: 0, times: [1000, null] }],
    ['of another log', (path) => copyFileSync(join(root, '_b', 'rb_b.log.index'), path), { own: 0, times: [null] }],
    [
      'longer than the log',
      (path) => truncateSync(path.replace(/\.index$/, ''), 90_000),
      { own: 1, times: [1000, 2000] },
    ],
  ];
  const other = open(root);
  await threePieces(other, 'rb_b');
  await other.close();
  for (const [name, change, expected] of cases) {
    let logs = open(root);
    await threePieces(logs, 'rb_a');
    await logs.close();
    const path = join(root, '_a', 'rb_a.log');
    change(`${path}.index`);
    const text = readFileSync(path, 'latin1');
    for (const round of ['repaired', 'opened again']) {
      logs = open(root);
      t.same(await logs.size('rb_a'), { length: text.length, lines: linesOf(text).length }, `${name}: ${round}`);
      t.same(await summary(logs, 'rb_a', text), expected, `${name}: ${round}`);
      const middle = linesOf(text)[40_000]?.start;
      t.equal((await logs.lineStart('rb_a', 40_001)).offset, middle, `${name}: a line in the middle`);
      if (round === 'repaired') await logs.close();
    }
    clock.now += 1_000;
    await logs.append('rb_a', text.length, Buffer.from('\nnew\n'));
    const originOf = await logs.origins('rb_a', text.length + 1, text.length + 2);
    t.same(originOf(text.length + 1), { at: clock.now, isOwn: false }, `${name}: new lines have a time`);
    await logs.remove('rb_a');
    await logs.close();
  }
});

t.test('a log is readable while the disk has no room for its index, and goes on when it has', async (t) => {
  const root = t.testdir();
  let logs = open(root);
  const text = await threePieces(logs, 'rb_1');
  await logs.close();
  const index = join(root, '_1', 'rb_1.log.index');
  rmSync(index);
  // Writing to this device fails as on a full disk.
  symlinkSync('/dev/full', index);
  logs = open(root);
  t.same(await logs.size('rb_1'), { length: text.length, lines: linesOf(text).length });
  t.equal((await logs.lineStart('rb_1', 40_001)).offset, 80_000);
  await t.rejects(logs.append('rb_1', text.length, Buffer.from('new\n')), { code: 'ENOSPC' });
  rmSync(index);
  const { length } = await logs.size('rb_1');
  t.same(await logs.append('rb_1', length, Buffer.from('new\n'.slice(length - text.length))), {
    length: text.length + 4,
  });
  t.same(await logs.size('rb_1'), { length: text.length + 4, lines: linesOf(text).length + 1 });
  t.equal(await logs.lineAt('rb_1', text.length), linesOf(text).length + 1);
  t.equal(readFileSync(join(root, '_1', 'rb_1.log'), 'latin1'), `${text}new\n`);
  await logs.close();
});

t.test(
  'a full disk while the log itself is written: nothing counts as stored, and nothing is said twice',
  async (t) => {
    const root = t.testdir({ _1: {} });
    const log = join(root, '_1', 'rb_1.log');
    symlinkSync('/dev/full', log);
    clock.now = START;
    let logs = open(root);
    const own = '[cidermill] x\n';
    const append = () => logs.append('rb_1', 0, Buffer.from(`${own}half a line`), [{ from: 0, to: own.length }]);
    for (let attempt = 0; attempt < 2; attempt++) await t.rejects(append(), { code: 'ENOSPC' });
    t.same(await logs.size('rb_1'), { length: 0, lines: 0 });
    await logs.close();
    rmSync(log);
    logs = open(root);
    clock.now += 5_000;
    await append();
    await logs.append('rb_1', own.length + 11, Buffer.from(', its end\n'));
    t.same(await described(logs, 'rb_1', readFileSync(log, 'latin1')), [
      [own, true, 5_000],
      ['half a line, its end\n', false, 5_000],
    ]);
    await logs.close();
  },
);
