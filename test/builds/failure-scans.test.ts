// The search in a log that comes in bit by bit, with repeats, holes and restarts: always what the stored log says.
import fc from 'fast-check';
import t from 'tap';
import { createFailureScans } from '../../control-plane/builds/app/failure-scans.js';
import type { BuildResult } from '../../shared/build.js';
import { cases } from '../harness/soak.js';
import { logs as failedLogs, WORK } from './failure-logs.js';
import { openLogs } from './open-logs.js';

const resultOf = (bytes: number, over: Partial<BuildResult> = {}): BuildResult => ({
  outcome: 'exited',
  exit_code: 65,
  stop_reason: null,
  step: 'script',
  reason_code: 'script_failed',
  fault: 'customer',
  summary: null,
  work_folder: WORK,
  script_started_at: null,
  ended_at: 0,
  log: { bytes, sha256: '0'.repeat(64), omitted_bytes: 0, possibly_truncated: false },
  artifacts: [],
  warnings: [],
  ...over,
});
const whole = failedLogs.map(({ log }) => log).join('\n');

t.test('repeats, overlaps, restarts and other builds in between change nothing', async (t) => {
  const logs = openLogs(t.testdir());
  let builds = 0;
  const sent = Buffer.from(whole.slice(0, 6000));
  const truth = createFailureScans(logs, 1);
  await logs.append('rb_whole', 0, sent);
  const expected = await truth.explain({ buildId: 'rb_whole', attempt: 1, logBase: 0 }, resultOf(sent.length));
  t.match(expected, { reasonCode: String });
  const step = fc.record({
    back: fc.nat(300),
    length: fc.integer({ min: 1, max: 2000 }),
    restart: fc.boolean(),
    other: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const attempt = { buildId: `rb_${builds++}`, attempt: 1, logBase: 0 };
      let scans = createFailureScans(logs, 1);
      const send = async (from: number, to: number) => {
        const data = sent.subarray(from, to);
        const { length } = await logs.append(attempt.buildId, from, data);
        await scans.watch(attempt, from, data, length);
        return length;
      };
      let at = 0;
      for (const { back, length, restart, other } of steps) {
        const from = Math.max(0, at - back);
        at = await send(from, Math.min(sent.length, from + length));
        if (restart) scans = createFailureScans(logs, 1);
        if (other) await scans.watch({ buildId: 'rb_other', attempt: 1, logBase: 0 }, 0, Buffer.from('x'), 1);
      }
      at = await send(at, sent.length);
      t.same(await scans.explain(attempt, resultOf(at)), expected);
    }),
    { numRuns: cases(15) },
  );
  await logs.close();
});

t.test(
  'the first piece, sent again after its scan was given up for another build, is not taken for more',
  async (t) => {
    const logs = openLogs(t.testdir());
    const scans = createFailureScans(logs, 1);
    const attempt = { buildId: 'rb_again', attempt: 1, logBase: 0 };
    const log = Buffer.from('one\ntwo\nApp/Cart.swift:1:1: error: here\nend\n');
    const send = async (from: number, to: number) => {
      const data = log.subarray(from, to);
      const { length } = await logs.append(attempt.buildId, from, data);
      await scans.watch(attempt, from, data, length);
    };
    await send(0, 1);
    await scans.watch({ buildId: 'rb_other', attempt: 1, logBase: 0 }, 0, Buffer.from('x'), 1);
    await send(1, 8);
    await send(0, 1);
    await send(8, log.length);
    t.match(await scans.explain(attempt, resultOf(log.length)), {
      location: { line: 1 },
      logExcerptLines: [1, 4],
    });
    await logs.close();
  },
);

t.test('a build that was moved: only its last attempt counts, lines are those of the whole log', async (t) => {
  const logs = openLogs(t.testdir());
  const scans = createFailureScans(logs, 4);
  const first = Buffer.from('one\nApp/Old.swift:1:1: error: of the first attempt\ncut');
  const grown = await logs.append('rb_moved', 0, first);
  await scans.watch({ buildId: 'rb_moved', attempt: 1, logBase: 0 }, 0, first, grown.length);
  const { length: logBase } = await logs.appendLine('rb_moved', '[cidermill] attempt 2');
  const second = Buffer.from('two\nApp/New.swift:2:2: error: of the second\nend\n');
  const { length } = await logs.append('rb_moved', logBase, second);
  const attempt = { buildId: 'rb_moved', attempt: 2, logBase };
  await scans.watch(attempt, logBase, second, length);
  const found = await scans.explain(attempt, resultOf(second.length));
  t.match(found, { location: { file: 'App/New.swift', line: 2 }, logExcerptLines: [5, 7] });
  await logs.close();
});

t.test('a truncated log is scanned again', async (t) => {
  const logs = openLogs(t.testdir());
  const scans = createFailureScans(logs, 4);
  const attempt = { buildId: 'rb_cut', attempt: 1, logBase: 0 };
  const wrong = Buffer.from('App/Wrong.swift:1:1: error: damaged on its way\n');
  await scans.watch(attempt, 0, wrong, (await logs.append('rb_cut', 0, wrong)).length);
  t.match(await logs.finish('rb_cut', { from: 0, length: wrong.length, sha256: 'f'.repeat(64) }), {
    complete: false,
  });
  scans.forget('rb_cut');
  const right = Buffer.from('App/Right.swift:1:1: error: as it was sent\n');
  await scans.watch(attempt, 0, right, (await logs.append('rb_cut', 0, right)).length);
  t.match(await scans.explain(attempt, resultOf(right.length)), { location: { file: 'App/Right.swift' } });
  await logs.close();
});

t.test('only attempts whose script failed are explained from the log', async (t) => {
  const logs = openLogs(t.testdir());
  const log = Buffer.from('App/A.swift:1:1: error: there\n');
  await logs.append('rb_how', 0, log);
  const explain = (over: Partial<BuildResult>) =>
    createFailureScans(logs, 4).explain({ buildId: 'rb_how', attempt: 1, logBase: 0 }, resultOf(log.length, over));
  t.match(await explain({}), { reasonCode: 'compile_error' });
  t.match(await explain({ reason_code: null, exit_code: 1 }), { reasonCode: 'compile_error' });
  const others: Partial<BuildResult>[] = [
    { exit_code: 0, reason_code: null },
    { outcome: 'stopped', stop_reason: 'timeout', reason_code: 'timeout' },
    { outcome: 'stopped', stop_reason: 'cancelled_by_user', reason_code: null },
    { outcome: 'failed', step: 'source', reason_code: 'clone_failed', exit_code: null },
    { outcome: 'failed', step: 'xcode', reason_code: 'xcode_missing', exit_code: null },
    { reason_code: 'test_failure' },
  ];
  for (const other of others) t.equal(await explain(other), null, JSON.stringify(other));
  await logs.close();
});

t.test('a long log with its middle left out: the cause in its tail, by the lines that are stored', async (t) => {
  const logs = openLogs(t.testdir());
  const line = `SwiftCompile normal arm64 ${WORK}/App/File.swift (in target 'App' from project 'App')\n`;
  const head = Buffer.alloc(8 * 2 ** 20, line);
  await logs.append('rb_long', 0, head);
  const tail = `\n[cidermill] 123456 bytes left out here\n${WORK}/App/Cart.swift:3:1: error: at last\n** BUILD FAILED **\n`;
  const { length } = await logs.append('rb_long', head.length, Buffer.from(tail));
  const attempt = { buildId: 'rb_long', attempt: 1, logBase: 0 };
  const found = await createFailureScans(logs, 1).explain(attempt, resultOf(length));
  t.match(found, { summary: 'App/Cart.swift:3: at last' });
  const [first = 0, last = 0] = found?.logExcerptLines ?? [];
  const { offset: start } = await logs.lineStart('rb_long', first);
  const { offset: end } = await logs.lineStart('rb_long', last + 1);
  const { data } = await logs.read('rb_long', start, end - start, true);
  t.match(data.toString(), /left out here\n.*Cart\.swift:3:1: error: at last\n/);
  t.equal(last, (await logs.size('rb_long')).lines);
  await logs.close();
});
