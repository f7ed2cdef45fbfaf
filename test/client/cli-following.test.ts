// What a person sees of a build: its log, why it waits, how it failed.
import t from 'tap';
import { failureCard } from '../../client/cli/failure-card.js';
import type { BuildFailure } from '../../client/index.js';
import { hastyClock, runCli, startCli } from './run-cli.js';
import { setUp } from './scripted-place.js';

const failure: BuildFailure = {
  category: 'customer',
  fault: 'customer',
  step: 'script',
  summary: 'The compiler found an error.',
  summary_message: { code: null, params: {}, text: 'The compiler found an error.' },
  log_url: 'http://h/log',
  reason_code: 'compile_error',
  suggestion: 'Define it.',
  suggestion_message: { code: 'of_a_newer_service', params: {}, text: 'Define it.' },
  log_excerpt_lines: [2, 3],
  location: { file: 'src/a.swift', line: 3, message: 'cannot find x' },
};

t.test('standard output carries the log and nothing else', async (t) => {
  const { service, place } = await setUp(t);
  const log = 'plain\n\u001b[31mcolor\u001b[0m\r\n漢字 no break at the end';
  service.onSubmit = (build) => {
    build.append(log);
    build.addArtifact('app.zip', 'zip');
    build.finish({ status: 'failed', exit_code: 65, end_reason: 'exit_nonzero', failure });
  };
  const plain = await runCli(place, ['build', '--script', 'make']);
  t.equal(plain.stdout, log);
  t.match(plain.stderr, /1 artifact: cidermill artifacts rb_000001 --output DIR/);
  t.notMatch(plain.stderr, /\u001b/, 'no color off a terminal');

  const json = await runCli(place, ['build', '--script', 'make', '--json']);
  t.match(JSON.parse(json.stdout), {
    id: 'rb_000002',
    exit_code: 65,
    failure,
    artifacts: [{ name: 'app.zip' }],
  });
  t.ok(json.stderr.startsWith(log), 'with --json the log is on standard error');
  t.equal(json.code, 65);

  service.onSubmit = (build) =>
    build.finish({ status: 'succeeded', exit_code: 0, warnings: ['The artifact a holds \u001b[31mTOKEN.'] });
  t.match(await runCli(place, ['build', '--script', 'make']), {
    code: 0,
    stdout: '',
    stderr: 'warning: The artifact a holds TOKEN.\n',
  });

  service.onSubmit = (build) =>
    build.finish({
      status: 'succeeded',
      exit_code: 0,
      warnings: ['the text'],
      warning_messages: [{ code: 'processes_left', params: { count: 2 }, text: 'the text' }],
    });
  t.match(await runCli(place, ['build', '--script', 'make']), {
    stderr: 'warning: 2 processes of this build could not be ended.\n',
  });

  const detached = await runCli(place, ['build', '--script', 'make', '--detach']);
  t.equal(detached.stdout, 'rb_000005\n');
  t.match(JSON.parse((await runCli(place, ['build', '--script', 'make', '--detach', '--json'])).stdout), {
    id: 'rb_000006',
  });

  const refused = await runCli(place, ['logs', 'rb_none', '--json']);
  t.match(JSON.parse(refused.stdout), { error: { code: 'build_not_found', status: 404, retryable: false } });
  t.match(JSON.parse((await runCli(place, ['build', '--json'])).stdout), { error: { code: 'usage' } });
});

t.test('while a build waits, each change is printed once', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = (build) => build.set({ queue_position: 2, wait_reason: 'mac_busy', estimated_wait_s: 720 });
  const running = startCli(place, ['build', '--script', 'make']);
  await running.until('stderr', 'waiting, position 2: the Macs are busy, at most 12m00s\n');
  const looked = service.seen('GET /builds/*').length;
  service.builds.get('rb_000001')!.set({ estimated_wait_s: 700 });
  // Two further looks: the first may have been under way.
  await service.untilSeen('GET /builds/*', looked + 2);
  service.builds.get('rb_000001')!.set({ queue_position: 1, wait_reason: 'concurrency_limit', estimated_wait_s: null });
  await running.until('stderr', 'waiting, position 1: the limit of concurrent builds is reached\n');
  const asked = service.seen('GET /builds/*').length;
  service.builds.get('rb_000001')!.append('go\n');
  await running.until('stdout', 'go\n');
  await new Promise<void>((resolve) => hastyClock.setTimeout(resolve, 2_200));
  t.ok(service.seen('GET /builds/*').length <= asked + 1, 'once the log has begun nobody asks any more');
  service.builds.get('rb_000001')!.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  const { code, stdout, stderr } = await running.done;
  t.equal(code, 0);
  t.equal(stdout, 'go\n');
  t.equal(stderr.split('\n').length, 3);
});

t.test('a build that runs is not given up when the service restarts', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = (build) => build.append('one\n');
  const running = startCli(place, ['build', '--script', 'make']);
  await running.until('stdout', 'one\n');
  service.instead('GET /builds/*/log', { cut: true }, 3);
  service.builds.get('rb_000001')!.append('two\n');
  await running.until('stdout', 'two\n');
  service.instead('GET /builds/*/log', { status: 502, text: 'bad gateway' }, 2);
  service.builds.get('rb_000001')!.append('three\n');
  await running.until('stdout', 'three\n');
  service.builds.get('rb_000001')!.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  t.match(await running.done, { code: 0, stdout: 'one\ntwo\nthree\n' });
});

t.test('a failed build ends with its card: reason, place, excerpt, suggestion, log', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = (build) => {
    build.append('line 1\nline 2\n\u001b[31mline 3\u001b[0m\nline 4\n');
    build.finish({ status: 'failed', exit_code: 65, end_reason: 'exit_nonzero', failure });
  };
  const { stderr } = await runCli(place, ['build', '--script', 'make']);
  t.equal(
    stderr,
    [
      '✗ rb_000001 failed: compile_error (exit 65, 1m02s)',
      '  The compiler found an error.',
      '  src/a.swift:3 cannot find x',
      '  2 │ line 2',
      '  3 │ line 3',
      '  → Define it.',
      '  log: cidermill logs rb_000001',
      '',
    ].join('\n'),
  );

  await t.test('an excerpt deep in a long log is found without reading it all again', async (t) => {
    const lines = Array.from({ length: 40_000 }, (_, n) => `line ${n + 1} ${'é'.repeat(n % 20)}`);
    service.onSubmit = (build) => {
      build.append(`${lines.join('\n')}\n`);
      const excerpt = { ...failure, log_excerpt_lines: [30_001, 30_050] };
      build.finish({ status: 'failed', exit_code: 1, end_reason: 'exit_nonzero', failure: excerpt });
    };
    service.requests.length = 0;
    const result = await runCli(place, ['build', '--script', 'make']);
    t.equal(result.stdout, `${lines.join('\n')}\n`);
    const shown = [...result.stderr.matchAll(/^ +(\d+) │ (.*)$/gm)].map(([, number, text]) => [number, text]);
    t.same(
      shown,
      lines.slice(30_030, 30_050).map((text, at) => [String(30_031 + at), text]),
      'its last 20 lines',
    );
    const segments = Math.ceil(Buffer.byteLength(result.stdout) / (256 * 1024));
    t.ok(service.seen('GET /builds/*/log').length <= segments + 3, 'two more requests than the log itself took');
  });

  const style = { bold: String, dim: String, red: String, green: String, yellow: String, cyan: String };
  const base = service.builds.get('rb_000001')!.view;
  t.equal(
    failureCard(
      { ...base, status: 'expired', failure: null, end_reason: 'queue_timeout', exit_code: null },
      [],
      1,
      style,
    ),
    '✗ rb_000001 expired: queue_timeout (1m02s)\n',
  );
  t.match(
    failureCard({ ...base, failure: { ...failure, category: 'platform' } }, [], 1, style),
    /the service is at fault/,
  );
  t.notMatch(
    failureCard({ ...base, failure: { ...failure, summary: '\u001b]0;title\u0007\u001b[2Jboo' } }, [], 1, style),
    /\u001b/,
  );
});
