// Why a build failed, in one answer of bounded size.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import t from 'tap';
import { show, submit, withMacs } from '../harness/submitting.js';

const WORK = '/Users/ci/work';
const failed = {
  exit_code: 65,
  reason_code: 'script_failed',
  fault: 'customer',
  work_folder: WORK,
  summary: 'The script ended with exit code 65; the end of the log says why.',
} as const;

t.test('a compile error: cause, place, lines, end of the log, artifacts and what to do', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  const noise = (count: number) => Array.from({ length: count }, (_, i) => `  compiling ${i + 1}\n`).join('');
  await host.output(id, noise(100));
  await host.output(id, `\x1b[31m${WORK}/App/Cart.swift:12:9: error: cannot find\u202e 'totl'\x1b[0m\n${noise(50)}`);
  for (const name of ['out/a.txt', 'b.txt']) {
    const bytes = Buffer.from(name);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await h.artifacts.store({ buildId: id, attempt: 1, name, bytes: bytes.length, sha256 }, Readable.from([bytes]));
  }
  await host.finish(id, failed);
  const answer = await h.call('GET', `/builds/${id}/failure`, { key: h.keys.read });
  t.equal(answer.statusCode, 200);
  const report = answer.json();
  t.match(report, {
    build_id: id,
    status: 'failed',
    exit_code: 65,
    end_reason: 'exit_nonzero',
    total_lines: 151,
    advice: 'Change the code or the script, then build again.',
    advice_message: { code: 'change_code', params: {} },
    next: [
      {
        action: 'read_log',
        method: 'GET',
        path: `/api/v1/builds/${id}/log?from_line=1&lines=300&ansi=strip`,
      },
    ],
    more_artifacts: false,
  });
  t.same(report.failure, (await show(h, id)).failure, 'the failure is the one of the build');
  t.match(report.failure, { reason_code: 'compile_error', location: { file: 'App/Cart.swift', line: 12 } });
  t.same(
    report.lines.map(({ n }: { n: number }) => n),
    Array.from({ length: 14 }, (_, i) => 96 + i),
  );
  t.same(report.lines[5], { n: 101, text: `${WORK}/App/Cart.swift:12:9: error: cannot find 'totl'` });
  t.same(report.lines[4], { n: 100, text: '  compiling 100' }, 'indentation stays');
  t.same(
    report.tail.map(({ n }: { n: number }) => n),
    Array.from({ length: 15 }, (_, i) => 137 + i),
  );
  t.same(report.artifacts.map(({ path, bytes }: { path: string; bytes: number }) => [path, bytes]).sort(), [
    ['b.txt', 5],
    ['out/a.txt', 9],
  ]);
  t.equal((await h.call('GET', report.next[0].path.slice('/api/v1'.length))).statusCode, 200);
});

t.test('the answer stays small for builds with long logs and many artifacts', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  const wide = `${'\x1b[31m🍎'.repeat(100_000)}\n`;
  await host.output(id, `${wide}fatal error: ${wide}${wide.repeat(3)}`);
  for (let i = 0; i < 21; i++) {
    const bytes = Buffer.from(`${i}`);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const name = `${i}/${'n'.repeat(200)}`;
    await h.artifacts.store({ buildId: id, attempt: 1, name, bytes: bytes.length, sha256 }, Readable.from([bytes]));
  }
  await host.finish(id, failed);
  const answer = await h.call('GET', `/builds/${id}/failure`);
  t.ok(answer.body.length < 100_000, `${answer.body.length} characters`);
  const report = answer.json();
  t.equal(report.artifacts.length, 20);
  t.equal(report.more_artifacts, true);
  for (const { text, cut } of report.lines) t.ok(text.length <= 500 && cut === true);
});

t.test('for a build that has not failed it reports the status', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  const waiting = await submit(h);
  await host.start();
  const read = async (build: string) => (await h.call('GET', `/builds/${build}/failure`)).json();
  t.match(await read(id), {
    status: 'running',
    failure: null,
    lines: [],
    tail: [],
    total_lines: 0,
    artifacts: [],
    advice: 'The build has not ended: wait for its end.',
    next: [{ action: 'wait_for_end', path: `/api/v1/builds/${id}/wait` }],
  });
  t.match(await read(waiting.id), { status: 'queued', exit_code: null, end_reason: null });
  await host.output(id, 'half a line');
  t.match(await read(id), { tail: [{ n: 1, text: 'half a line', open: true }] });
  await host.finish(id);
  t.match(await read(id), { status: 'succeeded', failure: null, advice: 'The build succeeded.' });
  await h.call('POST', `/builds/${waiting.id}/cancel`);
  t.match((await read(waiting.id)).status, /cancelled|running/);
  t.equal((await h.call('GET', '/builds/rb_none/failure')).statusCode, 404);
  t.equal((await h.call('GET', `/builds/${id}/failure`, { key: h.other.key })).statusCode, 404);
});

t.test('a failure of the platform: build again', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  await host.finish(id, {
    outcome: 'failed',
    exit_code: null,
    reason_code: 'internal_error',
    fault: 'platform',
    step: 'script',
    summary: 'The host could not go on with the build.',
  });
  t.match((await h.call('GET', `/builds/${id}/failure`)).json(), {
    failure: { fault: 'platform' },
    advice: 'The service is at fault: build again unchanged.',
    lines: [],
  });
});

t.test(
  'a code host that did not answer: build again, or send the source; a script without network: read its log',
  async (t) => {
    const { h, host } = await withMacs(t, 1);
    const reportOf = async (step: 'source' | 'script') => {
      const { id } = await submit(h);
      await host.start();
      const ended = {
        outcome: step === 'source' ? 'failed' : 'exited',
        exit_code: step === 'source' ? null : 6,
      } as const;
      await host.finish(id, { ...ended, reason_code: 'network_error', fault: 'unknown', step, summary: 'no answer' });
      const report = (await h.call('GET', `/builds/${id}/failure`)).json();
      t.match(report.failure, { reason_code: 'network_error', fault: 'unknown', step });
      return { id, ...report };
    };
    const fetched = await reportOf('source');
    const other = /^The code host did not answer .*build again later, or send the source as an upload \(upload_id\)\.$/;
    t.match([fetched.advice, fetched.failure.suggestion], [other, other]);
    t.match(fetched.next, [
      { action: 'build_again', method: 'POST', path: `/api/v1/builds/${fetched.id}/rerun` },
      { action: 'read_how_to_upload', method: 'GET', path: '/agent-start.md' },
      { action: 'read_log' },
    ]);
    t.match((await h.inject({ url: fetched.next[1].path })).body, /POST \/uploads/, 'where it says how');
    const ran = await reportOf('script');
    t.notMatch(JSON.stringify([ran.advice, ran.failure.suggestion]), /code host|upload/);
    t.match(ran.next, [{ action: 'read_log' }]);
  },
);
