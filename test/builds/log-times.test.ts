// When each line of a log arrived: the index beside the log, and the API in all its forms.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { withMacs } from '../harness/submitting.js';
import { batches, START, timesAt } from './log-conformance.js';
import { openLogs } from './open-logs.js';

function logsIn(root: string) {
  let now = START;
  const open = () => openLogs(root, { maxOpen: 1, now: () => now });
  const state = { logs: open() };
  return {
    state,
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
    async reopen() {
      await state.logs.close();
      state.logs = open();
    },
  };
}

const startsOf = (text: string) => [...text.matchAll(/^.+$|^(?=\n)/gm)].map(({ index }) => index);

interface Batch {
  text: string;
  ms: number;
  reopens: boolean;
}

/** Appends the batches; returns the whole text, and when each of its bytes arrived. */
async function appendAll(place: ReturnType<typeof logsIn>, id: string, all: readonly Batch[]) {
  let text = '';
  const arrived: number[] = [];
  for (const batch of all) {
    place.pass(batch.ms);
    await place.state.logs.append(id, text.length, Buffer.from(batch.text));
    text += batch.text;
    arrived.push(...Array.from(batch.text, () => place.now()));
    if (batch.reopens) await place.reopen();
  }
  return { text, arrived };
}

t.test('a damaged index never gives a line the time of another', async (t) => {
  const root = t.testdir();
  const place = logsIn(root);
  let n = 0;
  await fc.assert(
    fc.asyncProperty(batches, fc.nat(400), fc.constantFrom('flip', 'cut', 'zero'), async (all, where, how) => {
      const id = `rb_${++n}`;
      const { text, arrived } = await appendAll(place, id, all);
      await place.state.logs.close();
      const path = join(root, id.slice(-2), `${id}.log.index`);
      const bytes = readFileSync(path);
      const at = where % bytes.length;
      if (how === 'flip') bytes.writeUInt8(bytes.readUInt8(at) ^ 0x55, at);
      if (how === 'zero') bytes.fill(0, at);
      // An incomplete record at the end was never finished; the line then has the time of the one before.
      writeFileSync(path, how === 'cut' ? bytes.subarray(0, bytes.length - (at % 28)) : bytes);
      await place.reopen();
      const starts = startsOf(text);
      const times = await timesAt(place.state.logs, id, starts);
      return times.every((time, i) => {
        const late = (arrived[starts[i] as number] as number) - (time ?? 0);
        return time === null || (how === 'cut' ? true : late >= 0 && late < 100);
      });
    }),
    { numRuns: 60 },
  );
  await place.state.logs.close();
});

t.test('without an index times are unknown until more arrives; the file goes with the log', async (t) => {
  const root = t.testdir();
  const place = logsIn(root);
  await place.state.logs.append('rb_1', 0, Buffer.from('old\nolder\n'));
  await place.state.logs.close();
  rmSync(join(root, '_1', 'rb_1.log.index'));
  await place.reopen();
  await place.state.logs.append('rb_1', 10, Buffer.from('new\n'));
  t.same(await timesAt(place.state.logs, 'rb_1', [0, 4, 10]), [null, null, START]);
  t.same(await timesAt(place.state.logs, 'rb_none', [0]), [null]);
  await place.state.logs.remove('rb_1');
  t.same(readdirSync(join(root, '_1')), []);
  await place.state.logs.close();
});

t.test('in the API: lines, matches and text have times when asked for', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } })).json();
  await host.start();
  const from = h.clock.now();
  await host.output(id, 'one\n\x1b[31mtwo\x1b[0m\n');
  await h.clock.advance(2_000);
  await host.output(id, 'three\nfo');
  await h.clock.advance(2_000);
  await host.output(id, 'ur\n');
  const get = (query: string) => h.call('GET', `/builds/${id}/log?${query}`);
  const iso = (ms: number) => new Date(from + ms).toISOString();
  t.same((await get('from_line=2&lines=3&timestamps=true')).json().lines, [
    { n: 2, text: '\x1b[31mtwo\x1b[0m', at: iso(0) },
    { n: 3, text: 'three', at: iso(2_000) },
    { n: 4, text: 'four', at: iso(2_000) },
  ]);
  t.same((await get('search=o&timestamps=true')).json().matches, [
    { n: 1, text: 'one', at: iso(0) },
    { n: 2, text: '\x1b[31mtwo\x1b[0m', at: iso(0) },
    { n: 4, text: 'four', at: iso(2_000) },
  ]);
  t.notOk('at' in (await get('from_line=1')).json().lines[0], 'only when asked for');
  const text = `${iso(0)} one\n${iso(0)} two\n${iso(2_000)} three\n${iso(2_000)} four\n`;
  t.equal((await get('format=text&timestamps=true&ansi=strip')).body, text);
  t.equal((await get('tail=1&timestamps=true')).body, `${iso(2_000)} four\n`);
  const followed = get('format=text&wait=60&timestamps=true&ansi=strip');
  await host.finish(id);
  t.equal((await followed).body, text);
  for (const query of ['offset=0&format=text&timestamps=true', 'timestamps=false', 'timestamps=']) {
    t.equal((await get(query)).statusCode, 400, query);
  }
});

t.test('lines can be waited for: a complete one, more of the last one, or the end', async (t) => {
  const h = await startHarness(t, { oneClock: true });
  const host = await startBuildHost(h, { macs: 1 });
  const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } })).json();
  await host.start();
  await host.output(id, 'one\n');
  const wait = async (from: number, s = 60) =>
    (await h.call('GET', `/builds/${id}/log?from_line=${from}&wait=${s}`)).json();
  t.match(await wait(1), { lines: [{ n: 1, text: 'one' }] }, 'there already');
  // What is there when the request first reads is not more: only what comes afterwards ends the wait.
  const more = wait(2);
  let printed = '';
  for (let over = false; !over; ) {
    await host.output(id, '.');
    printed += '.';
    over = await Promise.race([more.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
  }
  const [open] = (await more).lines;
  t.match(open, { n: 2, open: true });
  t.ok(open.text !== '' && printed.startsWith(open.text), open.text);
  const rest = wait(2);
  await host.output(id, '100%\n');
  t.match(await rest, { lines: [{ n: 2, text: `${printed}100%` }] });
  const end = wait(3);
  await host.finish(id);
  t.same(await end, { from_line: 3, lines: [], total_lines: 2, next_from_line: null });
  t.match(await wait(3, 61), { error: { code: 'invalid_wait' } });
});
