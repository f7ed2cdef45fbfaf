// The index beside a log: after crashes anywhere, and made from the files that older versions wrote.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { BuildLogs } from '../../control-plane/builds/logs/build-logs.js';
import { createFsBuildLogs } from '../../control-plane/builds/logs/fs-build-logs.js';
import { runs } from '../harness/soak.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const clock = { now: START };
const open = (root: string) =>
  createFsBuildLogs({
    root,
    maxOpen: 1,
    maxBytes: 2 ** 30,
    now: () => clock.now,
    onAppend: () => undefined,
  });

/** The lines of a text with their offsets, said in the plainest way. */
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
        // Of each byte: when it came, and whether it is of the service.
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
          if (kind === 'log' || kind === 'both') truncateSync(path, Math.floor(places.log * (text.length + 1)));
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
            // What was lost stays lost.
            isOwn[start] = own;
            if (time !== null && time !== came[start]) came[start] = time + START;
          }
        }
        await logs.close();
      },
    ),
    { numRuns: runs(25, 600) },
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

/** As a version of November 2026 wrote them: with a resent part, and a line of the service that came in two parts. */
const OLD = {
  log: 'W2NpZGVybWlsbF0gY2hlY2tlZCBvdXQKb25lCnR3bwp0aHJlZQpbY2lkZXJtaWxsXSBzaWxlbnQKZm91cgpbY2lkZXJtaWxsXSBpcyB3aGF0IGEgYnVpbGQgc2F5cwpbY2lkZXJtaWxsXSBtb3ZlZAphZ2Fpbgptb3JlCltjaWRlcm1pbGxdIGxvc3QK',
  lines: '',
  service:
    'AAAAAAABAAAAAAABAAAAAAAYAAAAAAAFAAAAAAAFAAAAAAA1AAAAAAAFAAAAAAAFAAAAAAA5AAAAAAAIAAAAAAAIAAAAAABxAAAAAAALAAAAAAALAAAAAACN',
  times:
    'AAAAAAAAAZt22qgAvst6jAAAAAAAGAGbdtqolvOWnlQAAAAAACABm3bavB6l16kmAAAAAAAjAZt22sAGBNkdFwAAAAAANQGbdtrBMjh4cRcAAAAAAF8Bm3bayQL5vtgYAAAAAABxAAAAAAAAMcod8AAAAAAAfAGbdtrUuj09rLs=',
  search: 'AAAA',
};
const OLD_LINES: [line: string, isOwn: boolean, ms: number | null][] = [
  ['[cidermill] checked out\n', true, 0],
  ['one\n', false, 150],
  ['two\n', false, 150],
  ['three\n', false, 5150],
  ['[cidermill] silent\n', true, 6150],
  ['four\n', false, 6450],
  ['[cidermill] is what a build says\n', false, 6450],
  ['[cidermill] moved\n', true, 8450],
  ['again\n', false, null],
  ['more\n', false, null],
  ['[cidermill] lost\n', true, 11450],
];
const OLD_TEXT = OLD_LINES.map(([line]) => line).join('');

/** Puts the files of an old log in place; returns their path without the ending. */
function oldLog(root: string, files: Partial<typeof OLD> = OLD): string {
  const path = join(root, 'ld', 'rb_old');
  mkdirSync(dirname(path), { recursive: true });
  for (const [kind, content] of Object.entries(files)) writeFileSync(`${path}.${kind}`, Buffer.from(content, 'base64'));
  return path;
}

t.test('a log of an older version is read as before, and its files become one index', async (t) => {
  const root = t.testdir();
  const path = oldLog(root);
  for (let round = 0; round < 2; round++) {
    const logs = open(root);
    await findsAllLines(logs, 'rb_old', OLD_TEXT);
    t.same(await described(logs, 'rb_old', OLD_TEXT), OLD_LINES);
    await logs.close();
    t.same(readdirSync(dirname(path)), ['rb_old.log', 'rb_old.log.index']);
  }
  const logs = open(root);
  clock.now = START + 20_000;
  await logs.append('rb_old', OLD_TEXT.length, Buffer.from('new\n'));
  t.same(await described(logs, 'rb_old', `${OLD_TEXT}new\n`), [...OLD_LINES, ['new\n', false, 20_000]]);
  await logs.close();
});

t.test('old files that are missing, torn or damaged', async (t) => {
  const { log, lines, service, times, search } = OLD;
  const torn = (base64: string, length: number) => Buffer.from(base64, 'base64').subarray(0, length).toString('base64');
  const without = (index: 1 | 2) =>
    OLD_LINES.map((line) => line.map((value, i) => (i === index ? (i === 1 ? false : null) : value)));
  const ownUntil = (count: number) => OLD_LINES.map(([line, isOwn, ms], i) => [line, isOwn && i < count, ms]);
  const timeUntil = (count: number, after: number | null) =>
    OLD_LINES.map(([line, isOwn, ms], i) => [line, isOwn, i < count ? ms : after]);
  const damaged = Buffer.from(times, 'base64');
  damaged.writeUInt8(damaged.readUInt8(4 * 16) ^ 0x55, 4 * 16);
  const unknown = OLD_LINES.map(([line, isOwn, ms]) => [line, isOwn, ms === 6150 || ms === 6450 ? null : ms]);
  const cases: [name: string, files: Partial<typeof OLD>, expected: unknown[]][] = [
    ['without lines, as in a backup', { log, service, times }, OLD_LINES],
    ['without times', { log, lines, service }, without(2)],
    ['without marks', { log, lines, times, search }, without(1)],
    ['with the log alone', { log }, without(1).map(([line]) => [line, false, null])],
    ['marks torn', { log, service: torn(service, 4 * 18 + 5), times }, ownUntil(8)],
    ['times torn', { log, service, times: torn(times, 4 * 16 + 5) }, timeUntil(5, 6150)],
    ['a time damaged', { log, service, times: damaged.toString('base64') }, unknown],
  ];
  for (const [name, files, expected] of cases) {
    const root = t.testdir({});
    rmSync(join(root, 'ld'), { recursive: true, force: true });
    const path = oldLog(root, files);
    const logs = open(root);
    await findsAllLines(logs, 'rb_old', OLD_TEXT);
    t.same(await described(logs, 'rb_old', OLD_TEXT), expected, name);
    await logs.close();
    t.same(readdirSync(dirname(path)), ['rb_old.log', 'rb_old.log.index'], name);
  }
});

t.test('a process that is killed while it makes the new index loses nothing', async (t) => {
  const root = t.testdir();
  const path = oldLog(root);
  writeFileSync(`${path}.log.index.new`, 'half of it');
  let logs = open(root);
  t.same(await described(logs, 'rb_old', OLD_TEXT), OLD_LINES, 'before the new one was complete');
  await logs.close();
  oldLog(root, { service: OLD.service, times: OLD.times });
  logs = open(root);
  t.same(await described(logs, 'rb_old', OLD_TEXT), OLD_LINES, 'before the old ones were removed');
  t.notOk(existsSync(`${path}.times`));
  await logs.remove('rb_old');
  t.same(readdirSync(dirname(path)), []);
  await logs.close();
});
