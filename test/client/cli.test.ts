import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Command } from 'commander';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { buildOptions, readBuildArguments } from '../../client/cli/build-options.js';
import { buildCommand } from '../../client/cli/commands/build.js';
import { failureCard } from '../../client/cli/failure-card.js';
import { formatBytes, formatSpan, formatTable, formatTime, formatWon } from '../../client/cli/format.js';
import { createProgram } from '../../client/cli/program.js';
import { safeParts } from '../../client/cli/save-artifacts.js';
import { printable } from '../../client/cli/terminal.js';
import type { Build, BuildFailure } from '../../client/index.js';
import { BIN, makePlace, type Place, runCli, startCli } from './run-cli.js';
import {
  KEY,
  type ScriptedBuild,
  type ScriptedService,
  sha256,
  startScriptedService,
} from './scripted-service.js';

async function setUp(t: Test, files: Record<string, string | Buffer> = { 'a.txt': 'hello' }) {
  const service = await startScriptedService();
  const place = makePlace(service);
  t.teardown(async () => {
    await service.close();
    place.remove();
  });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(place.project, name, '..'), { recursive: true });
    writeFileSync(join(place.project, name), content);
  }
  return { service, place };
}

const failure: BuildFailure = {
  category: 'customer',
  fault: 'customer',
  step: 'script',
  summary: 'The compiler found an error.',
  log_url: 'http://h/log',
  reason_code: 'compile_error',
  suggestion: 'Define it.',
  log_excerpt_lines: [2, 3],
  location: { file: 'src/a.swift', line: 3, message: 'cannot find x' },
};

t.test('every exit code, from a real process', async (t) => {
  const { service, place } = await setUp(t);
  const ends = (change: Partial<Build>) => (build: ScriptedBuild) => {
    build.append('output\n');
    build.finish(change);
  };
  const build = ['build', '--script', 'make'];
  const error =
    (status: number, code: string, more: object = {}) =>
    () =>
      service.instead('POST /builds', { status, error: { code, ...more } }, 9);
  const table: [string, number, string[], ((build: ScriptedBuild) => void) | null, (() => void)?, RegExp?][] =
    [
      [
        'a build that succeeds',
        0,
        build,
        ends({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' }),
      ],
      ['a script that fails', 3, build, ends({ status: 'failed', exit_code: 3, end_reason: 'exit_nonzero' })],
      [
        'a script killed by a signal',
        137,
        build,
        ends({ status: 'failed', exit_code: 137, end_reason: 'exit_nonzero' }),
      ],
      ['a timeout', 124, build, ends({ status: 'failed', exit_code: 143, end_reason: 'timeout' })],
      ['cancelled by somebody', 130, build, ends({ status: 'cancelled', end_reason: 'cancelled_by_user' })],
      [
        'a fault of the service',
        70,
        build,
        ends({ status: 'failed', exit_code: null, end_reason: 'platform_error' }),
      ],
      [
        'a Mac lost after the script',
        70,
        build,
        ends({ status: 'failed', exit_code: 0, end_reason: 'platform_error' }),
      ],
      ['never started', 70, build, (b) => b.finish({ status: 'expired', end_reason: 'queue_timeout' })],
      ['detached', 0, [...build, '--detach'], () => undefined],
      ['no script', 64, ['build'], null, undefined, /say what to run/],
      ['two scripts', 64, [...build, '--', 'make'], null, undefined, /give one of/],
      ['two sources', 64, [...build, '--dir', '.', '--repo', 'a/b'], null, undefined, /give one of/],
      ['an unknown option', 64, [...build, '--nonsense'], null, undefined, /unknown option/],
      ['an unknown command', 64, ['nonsense'], null, undefined, /unknown command/],
      ['an unknown subcommand', 64, ['secrets', 'nonsense'], null, undefined, /unknown command/],
      ['no command', 64, [], null, undefined, /Usage/],
      ['a bad number', 64, [...build, '--timeout', '999'], null, undefined, /from 1 to 360/],
      ['a bad priority', 64, ['priority', 'rb_1', '7'], null, undefined, /Give 0, or 1/],
      ['a missing argument', 64, ['cancel'], null, undefined, /missing required argument/],
      ['no such folder', 64, [...build, '--dir', 'nowhere'], null, undefined, /is not a folder/],
      [
        'no such script file',
        64,
        ['build', '--script-file', 'nowhere'],
        null,
        undefined,
        /cannot read the script/,
      ],
      [
        'an address that is none',
        64,
        ['status', '--url', 'nonsense'],
        null,
        undefined,
        /not a service's address/,
      ],
      [
        'nobody listens',
        69,
        ['status', '--url', 'http://127.0.0.1:1/api/v1'],
        null,
        undefined,
        /cannot reach/,
      ],
      [
        'a full queue',
        75,
        build,
        null,
        error(429, 'queue_full', { retryable: true, retry_after_s: 3600 }),
        /queue_full/,
      ],
      [
        'storage trouble',
        75,
        build,
        null,
        error(503, 'uploads_unavailable', { retryable: true, retry_after_s: 600 }),
      ],
      ['a wrong key', 77, [...build, '--key', 'cm_wrong'], null, undefined, /invalid_api_key/],
      ['a key that may only read', 77, build, null, error(403, 'api_key_read_only'), /api_key_read_only/],
      ['a blocked account', 77, build, null, error(403, 'account_blocked', { fault: 'payment' })],
      ['no Mac', 70, build, null, error(409, 'no_active_rental'), /no_active_rental/],
      ['a build that does not exist', 70, ['logs', 'rb_none'], null, undefined, /build_not_found/],
      [
        'a page instead of the service',
        70,
        ['status'],
        null,
        () => service.instead('GET /status', { status: 200, text: '<html>' }),
        /not JSON/,
      ],
      ['help', 0, ['build', '--help'], null],
      ['the version', 0, ['--version'], null],
    ];
  for (const [name, code, args, script, prepare, message] of table) {
    if (script) service.onSubmit = script;
    prepare?.();
    const result = await runCli(place, args);
    t.equal(result.code, code, `${code}: ${name}${result.code === code ? '' : ` (${result.stderr})`}`);
    if (message) t.match(result.stderr, message);
    if (message) t.equal(result.stdout, '', 'and standard output is empty');
    service.clear();
  }
});

t.test('standard output carries the log and nothing else', async (t) => {
  const { service, place } = await setUp(t);
  const log = 'plain\n\u001b[31mcolour\u001b[0m\r\n漢字 no break at the end';
  service.onSubmit = (build) => {
    build.append(log);
    build.addArtifact('app.zip', 'zip');
    build.finish({ status: 'failed', exit_code: 65, end_reason: 'exit_nonzero', failure });
  };
  const plain = await runCli(place, ['build', '--script', 'make']);
  t.equal(plain.stdout, log);
  t.match(plain.stderr, /1 artifact: cidermill artifacts rb_000001 --output DIR/);
  t.notMatch(plain.stderr, /\u001b/, 'no colour off a terminal');

  const json = await runCli(place, ['build', '--script', 'make', '--json']);
  t.match(JSON.parse(json.stdout), {
    id: 'rb_000002',
    exit_code: 65,
    failure,
    artifacts: [{ name: 'app.zip' }],
  });
  t.ok(json.stderr.startsWith(log), 'with --json the log is on standard error');
  t.equal(json.code, 65);

  const detached = await runCli(place, ['build', '--script', 'make', '--detach']);
  t.equal(detached.stdout, 'rb_000003\n');
  t.match(JSON.parse((await runCli(place, ['build', '--script', 'make', '--detach', '--json'])).stdout), {
    id: 'rb_000004',
  });

  const refused = await runCli(place, ['logs', 'rb_none', '--json']);
  t.match(JSON.parse(refused.stdout), { error: { code: 'build_not_found', status: 404, retryable: false } });
  t.match(JSON.parse((await runCli(place, ['build', '--json'])).stdout), { error: { code: 'usage' } });
});

t.test('what is asked of the service is what the flags say', async (t) => {
  const { service, place } = await setUp(t, { 'run.sh': 'echo from a file\n' });
  const bodyOf = async (args: string[], input?: string) => {
    const { code, stderr } = await runCli(
      place,
      ['build', '--detach', ...args],
      input === undefined ? {} : { input },
    );
    t.equal(code, 0, stderr);
    return JSON.parse(String(service.seen('POST /builds').at(-1)?.body));
  };
  service.onSubmit = () => undefined;
  t.same(await bodyOf(['--', 'make', '-j4', 'a b', "it's", '$HOME']), {
    script: `make -j4 'a b' 'it'\\''s' '$HOME'`,
    upload_id: 'up_1',
  });
  t.match(await bodyOf(['--script-file', 'run.sh']), { script: 'echo from a file\n' });
  t.match(await bodyOf(['--script-file', '-'], 'echo from a pipe'), { script: 'echo from a pipe' });
  const everything =
    '--script x --repo acme/app --ref main --commit 0123abc --pr 7 --xcode 16.2 --rental rt_1 --timeout 5 --priority 1 --clean --queue-until-rental --notify-url https://h/n';
  t.same(await bodyOf(everything.split(' ')), {
    script: 'x',
    repo: 'acme/app',
    ref: 'main',
    commit: '0123abc',
    pr: 7,
    xcode: '16.2',
    rental_id: 'rt_1',
    timeout_min: 5,
    priority: 1,
    clean_tree: true,
    queue_until_rental: true,
    notify_url: 'https://h/n',
  });
  t.equal(service.seen('POST /uploads').length, 3, 'a repository needs no upload');
  const notified = await runCli(place, [
    'build',
    '--detach',
    '--script',
    'x',
    '--repo-url',
    'https://h/r',
    '--notify-url',
    'https://h',
  ]);
  t.match(notified.stderr, /signed with whsec_x/, 'the signing secret is shown once');
});

t.test('a folder goes up once, and then only what changed', async (t) => {
  const big = randomBytes(5 * 1024 * 1024);
  const { service, place } = await setUp(t, {
    'a.txt': 'hello',
    'copy.txt': 'hello',
    'sub/b.txt': 'world',
    'big.bin': big,
    '.gitignore': 'out/\n',
    'out/x': 'not this',
  });
  service.onSubmit = (build) => build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  const upload = async () => {
    service.requests.length = 0;
    const { code, stdout, stderr } = await runCli(place, ['upload']);
    t.equal(code, 0, stderr);
    return stdout.trim();
  };
  const first = await upload();
  t.match(service.uploads.get(first), { project: 'project' });
  t.same(
    service.uploads
      .get(first)
      ?.files.map(({ path }) => path)
      .sort(),
    ['.gitignore', 'a.txt', 'big.bin', 'copy.txt', 'sub/b.txt'],
  );
  t.equal(service.blobs.size, 4, 'equal contents are sent once');
  t.ok(service.blobs.get(sha256(big))?.equals(big));

  await upload();
  t.same(service.seen('POST /uploads/*/blobs').length, 0);
  appendFileSync(join(place.project, 'a.txt'), '!');
  await upload();
  const sent = service.seen('POST /uploads/*/blobs');
  t.equal(sent.length, 1);
  t.equal(gunzipSync(sent[0]!.body).toString(), `${sha256('hello!')} 6\nhello!`);

  await t.test('with the connection lost in between, only what is missing is sent again', async (t) => {
    for (let n = 0; n < 8; n++) writeFileSync(join(place.project, `p${n}`), randomBytes(3 * 1024 * 1024));
    service.instead('POST /uploads/*/blobs', { cut: true }, 2);
    service.instead('POST /uploads/*/blobs', { status: 503, text: 'busy' }, 1);
    await upload();
    const bytes = service.seen('POST /uploads/*/blobs').reduce((sum, { body }) => sum + body.length, 0);
    t.equal(service.blobs.size, 13);
    t.ok(bytes < 8.5 * 3 * 1024 * 1024 + 3 * 4.5 * 1024 * 1024, `${bytes} bytes`);
    t.ok(service.seen('GET /uploads/*').length >= 2, 'it asked what is still missing');
  });

  await t.test('a service that has lost an upload, or content, gets it again', async (t) => {
    appendFileSync(join(place.project, 'a.txt'), '?');
    service.instead('POST /uploads/*/blobs', {
      status: 404,
      error: { code: 'upload_not_found', retryable: false },
    });
    await upload();
    t.equal(service.seen('POST /uploads').length, 2);
    service.instead('POST /builds', { status: 409, error: { code: 'upload_incomplete', retryable: true } });
    service.requests.length = 0;
    const { code } = await runCli(place, ['build', '--script', 'make']);
    t.equal(code, 0);
    t.equal(service.seen('POST /builds').length, 2);
    t.equal(service.seen('POST /uploads').length, 2);
  });

  await t.test('a file that changes between hashing and sending is noticed', async (t) => {
    const file = join(place.project, 'growing.bin');
    writeFileSync(file, randomBytes(9 * 1024 * 1024));
    const asked = startCli(place, ['upload']);
    await whenSeen(service, 'POST /uploads');
    appendFileSync(file, 'more');
    const { code, stdout } = await asked.done;
    t.equal(code, 0);
    const entry = service.uploads.get(stdout.trim())?.files.find(({ path }) => path === 'growing.bin');
    t.equal(entry?.sha256, sha256(readFileSync(file)), 'what was announced last is what is there');
  });
});

async function whenSeen(service: ScriptedService, match: string, times = 1): Promise<void> {
  const before = service.seen(match).length;
  while (service.seen(match).length < before + times) await new Promise((resolve) => setTimeout(resolve, 2));
}

t.test('a folder that cannot be sent says why', async (t) => {
  const { place } = await setUp(t, {});
  const empty = await runCli(place, ['build', '--script', 'x']);
  t.match(empty, { code: 64, stderr: /has no files to send/ });
  writeFileSync(join(place.project, 'Name'), '');
  writeFileSync(join(place.project, 'name'), '');
  symlinkSync('/etc/passwd', join(place.project, 'stolen'));
  t.match(await runCli(place, ['build', '--script', 'x']), {
    code: 64,
    stderr: /cannot tell these names apart: Name and name/,
  });
  writeFileSync(join(place.project, '.cidermillignore'), '/name\n');
  t.match(await runCli(place, ['upload']), { code: 0, stderr: /warning: stolen is a symbolic link/ });
});

t.test(
  'the service is found by flags, environment, login, and a service in this folder, in this order',
  async (t) => {
    const { service, place } = await setUp(t);
    const other = await startScriptedService();
    t.teardown(other.close);
    const bare = { ...place, env: { ...place.env, CIDERMILL_URL: undefined, CIDERMILL_API_KEY: undefined } };
    const reached = async (args: string[], env: NodeJS.ProcessEnv = {}, at: Place = bare) => {
      service.requests.length = 0;
      other.requests.length = 0;
      const { code, stderr } = await runCli(at, ['queue', ...args], { env });
      const [one, two] = [service.requests[0], other.requests[0]];
      return {
        code,
        stderr,
        at: one ? 'service' : two ? 'other' : null,
        key: (one ?? two)?.headers.authorization,
      };
    };
    t.match(await reached([]), { code: 64, stderr: /no service is configured/ });
    mkdirSync(join(place.project, '.cidermill'));
    const dev = join(place.project, '.cidermill/dev.json');
    writeFileSync(dev, JSON.stringify({ base_url: service.url, api_key: KEY }), { mode: 0o600 });
    t.match(await reached([]), { code: 0, at: 'service', key: `Bearer ${KEY}` });

    const login = await runCli(bare, ['login', '--url', other.url], { input: `${KEY}\n` });
    t.match(login, { code: 0, stdout: /logged in to .* as Acme with key laptop/ });
    const stored = join(place.root, 'config/cidermill/config.json');
    t.equal(statSync(stored).mode & 0o777, 0o600);
    t.same(readdirSync(join(stored, '..')), ['config.json']);
    t.match(await reached([]), { code: 0, at: 'other' }, 'login goes before the folder');
    t.match(await reached([], { CIDERMILL_URL: service.url, CIDERMILL_API_KEY: KEY }), {
      code: 0,
      at: 'service',
    });
    t.match(await reached(['--url', other.url], { CIDERMILL_URL: service.url, CIDERMILL_API_KEY: KEY }), {
      at: 'other',
    });
    t.match(await reached(['--key', 'cm_flag'], { CIDERMILL_API_KEY: KEY }), {
      code: 77,
      at: 'other',
      key: 'Bearer cm_flag',
    });
    t.match(
      await reached(['--url', other.url]),
      { code: 0, at: 'other' },
      'a stored key goes to its own service',
    );
    t.match(
      await reached(['--url', 'http://127.0.0.1:9/api/v1']),
      { code: 64, at: null, stderr: /no key for/ },
      'and to no other one',
    );
    const refused = await runCli(bare, ['login', '--url', service.url, '--key', 'cm_bad']);
    t.equal(refused.code, 77);
    t.equal(JSON.parse(readFileSync(stored, 'utf8')).url, other.url, 'a key that is refused is not stored');
    t.match(await runCli(bare, ['login'], { input: KEY }), { code: 64, stderr: /--url/ });
    t.match(await runCli(bare, ['login', '--url', service.url], { input: '' }), {
      code: 64,
      stderr: /API key/,
    });

    execFileSync('chmod', ['644', stored]);
    t.match(await reached([]), { code: 64, stderr: /must belong to you alone/ });
    execFileSync('chmod', ['600', stored]);
    writeFileSync(stored, '{');
    t.match(await reached([]), { code: 64, stderr: /is not JSON/ });
    // Something else than a file: what is there is not silently passed over.
    rmSync(stored);
    mkdirSync(stored, { mode: 0o700 });
    t.match(await reached([]), { code: 64, stderr: /config\.json cannot be read \(EISDIR\)/ });
  },
);

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
      '  log: http://h/log',
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
    t.ok(
      service.seen('GET /builds/*/log').length <= segments + 3,
      'two more requests than the log itself took',
    );
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
    failureCard(
      { ...base, failure: { ...failure, summary: '\u001b]0;title\u0007\u001b[2Jboo' } },
      [],
      1,
      style,
    ),
    /\u001b/,
  );
});

t.test('while a build waits, each change is told once', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = (build) =>
    build.set({ queue_position: 2, wait_reason: 'mac_busy', estimated_wait_s: 720 });
  const running = startCli(place, ['build', '--script', 'make']);
  await running.until('stderr', 'waiting, position 2: the Macs are busy, at most 12m00s\n');
  service.builds
    .get('rb_000001')!
    .set({ queue_position: 1, wait_reason: 'concurrency_limit', estimated_wait_s: null });
  await running.until('stderr', 'waiting, position 1: the limit of concurrent builds is reached\n');
  const asked = service.seen('GET /builds/*').length;
  service.builds.get('rb_000001')!.append('go\n');
  await running.until('stdout', 'go\n');
  await new Promise((resolve) => setTimeout(resolve, 2_200));
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

t.test('Ctrl-C once cancels, twice leaves the build running', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = (build) => build.append('running\n');
  const started = async (args: string[] = []) => {
    const running = startCli(place, ['build', '--script', 'make', ...args]);
    await running.until('stdout', 'running\n');
    service.requests.length = 0;
    return running;
  };
  const once = await started();
  once.child.kill('SIGINT');
  await once.until('stderr', 'Ctrl-C again leaves it running');
  t.match(await once.done, {
    code: 130,
    stderr: /Cancelling rb_000001.*\n✗ rb_000001 cancelled: cancelled_by_user/,
  });
  t.equal(service.builds.get('rb_000001')?.view.status, 'cancelled');

  const twice = await started();
  twice.child.kill('SIGINT');
  await twice.until('stderr', 'Ctrl-C again leaves it running');
  twice.child.kill('SIGINT');
  t.match(await twice.done, { code: 130, stderr: /rb_000002 goes on: cidermill logs -f rb_000002/ });
  t.equal(service.builds.get('rb_000002')?.view.status, 'running');
  t.equal(service.seen('POST /builds/*/cancel').length, 0);

  const told = await started();
  told.child.kill('SIGTERM');
  t.match(await told.done, { code: 130 }, 'SIGTERM cancels at once');
  t.equal(service.builds.get('rb_000003')?.view.status, 'cancelled');

  const finished = await started();
  finished.child.kill('SIGINT');
  await finished.until('stderr', 'Ctrl-C again leaves it running');
  service.builds.get('rb_000004')?.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  t.match(await finished.done, { code: 0 }, 'a build that ends meanwhile ends as it ends');

  service.instead('POST /builds/*/cancel', {
    status: 403,
    error: { code: 'api_key_read_only', retryable: false },
  });
  const refused = await started();
  refused.child.kill('SIGTERM');
  await refused.until('stderr', 'could not be cancelled');
  refused.child.kill('SIGINT');
  t.match(await refused.done, { code: 130, stderr: /rb_000005/ }, 'a cancel that is refused can be left');

  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  t.teardown(() => silent.close());
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  const early = startCli(place, ['build', '--script', 'make', '--url', `http://127.0.0.1:${port}`]);
  await new Promise((resolve) => silent.once('connection', resolve));
  await new Promise((resolve) => setTimeout(resolve, 300));
  early.child.kill('SIGINT');
  t.match(await early.done, { code: 130, stderr: /stopped/ }, 'before there is a build it stops at once');
});

t.test('artifacts come down safely', async (t) => {
  const { service, place } = await setUp(t);
  const outside = join(place.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'victim'), 'untouched');
  const target = join(place.root, 'got');
  mkdirSync(target);
  symlinkSync(outside, join(target, 'link'));
  symlinkSync(join(outside, 'victim'), join(target, 'file-link'));
  mkdirSync(join(target, 'is-folder'));
  const names = [
    'app.ipa',
    'logs/deep/x.txt',
    '../evil',
    'a/../../evil',
    '/abs',
    'a//b',
    './a',
    'link/evil',
    'file-link',
    'is-folder',
    'APP.IPA',
    'nul\0',
    'a\\b',
    '',
    '.',
    'esc\u001b[2J',
    'n'.repeat(300),
  ];
  service.onSubmit = (build) => {
    for (const name of names) build.addArtifact(name, `content of ${name}`);
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
  const { code, stderr } = await runCli(place, ['build', '--script', 'x', '--artifacts', target]);
  t.equal(code, 70, 'a build whose artifacts could not all be saved is not a plain success');
  t.equal(readFileSync(join(target, 'app.ipa'), 'utf8'), 'content of app.ipa');
  t.equal(readFileSync(join(target, 'logs/deep/x.txt'), 'utf8'), 'content of logs/deep/x.txt');
  t.equal(
    readFileSync(join(target, 'file-link'), 'utf8'),
    'content of file-link',
    'a link is replaced, not followed',
  );
  t.equal(readFileSync(join(outside, 'victim'), 'utf8'), 'untouched');
  t.same(readdirSync(outside), ['victim']);
  t.same(readdirSync(target).sort(), ['app.ipa', 'file-link', 'is-folder', 'link', 'logs']);
  t.notOk(existsSync(join(place.root, 'evil')));
  t.equal([...stderr.matchAll(/was not saved/g)].length, names.length - 3);
  t.match(stderr, /3 artifacts in /);
  t.notMatch(stderr, /\u001b/);

  const listed = await runCli(place, ['artifacts', 'rb_000001', '--json']);
  t.equal(JSON.parse(listed.stdout).artifacts.length, names.length);
  t.match(
    (await runCli(place, ['artifacts', 'rb_000001'])).stdout,
    /FILE +SIZE +KEPT UNTIL +NAME\nf_1 .*app\.ipa/,
  );

  service.onSubmit = (build) => {
    build.addArtifact('one', '1');
    build.addArtifact('short', 'abc', { bytes: 5 });
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
  const short = await runCli(place, ['build', '--script', 'x', '--artifacts', join(place.root, 'two')]);
  t.match(short, { code: 69, stderr: /arrived with 3 of 5 bytes/ });
  t.same(readdirSync(join(place.root, 'two')), ['one'], 'a file is there whole or not at all');
  service.instead('GET /signed/*', { cut: true }, 2);
  t.match(await runCli(place, ['artifacts', 'rb_000002', '-o', join(place.root, 'three')]), { code: 69 });
  t.equal(readFileSync(join(place.root, 'three/one'), 'utf8'), '1', 'a lost connection is tried again');

  for (const good of ['a', 'a/b', '...', 'ü/ß', 'with space']) t.ok(safeParts(good), good);
  t.end();
});

t.test('logs: whole, end, from an offset, followed, and cut short by its reader', async (t) => {
  const { service, place } = await setUp(t);
  const text = `${Array.from({ length: 30_000 }, (_, n) => `line ${n}`).join('\n')}\n`;
  service.onSubmit = (build) => build.append(text);
  await runCli(place, ['build', '--detach', '--script', 'x']);
  const id = 'rb_000001';
  t.equal((await runCli(place, ['logs', id])).stdout, text);
  t.equal((await runCli(place, ['logs', id, '--tail', '2'])).stdout, 'line 29998\nline 29999\n');
  t.equal((await runCli(place, ['logs', id, '--offset', String(text.length - 11)])).stdout, 'line 29999\n');
  t.match(JSON.parse((await runCli(place, ['logs', id, '--json'])).stdout), {
    build_id: id,
    offset: 0,
    next_offset: 262_144,
  });
  t.match(JSON.parse((await runCli(place, ['logs', id, '--json', '--tail', '1'])).stdout), {
    data: 'line 29999\n',
  });
  t.match(await runCli(place, ['logs', id, '-f', '--tail', '1']), { code: 64 });
  const following = startCli(place, ['logs', '-f', id]);
  const asJson = startCli(place, ['logs', '-f', id, '--json']);
  await following.until('stdout', 'line 29999\n');
  service.builds.get(id)?.append('the end\n');
  service.builds.get(id)?.finish({ status: 'failed', exit_code: 1 });
  t.match(await following.done, { code: 0, stdout: `${text}the end\n` });
  const segments = (await asJson.done).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.equal(segments.map(({ data }) => data).join(''), `${text}the end\n`);
  t.equal(segments.at(-1).eof, true);

  const pipe = `set -o pipefail; '${process.execPath}' '${BIN}' logs ${id} | head -1`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', pipe], { env: place.env });
  t.same({ stdout, stderr }, { stdout: 'line 0\n', stderr: '' }, 'and nobody complains');
});

t.test('the other commands, for people and as JSON', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = () => undefined;
  await runCli(place, ['build', '--detach', '--script', 'x']);
  const table: [string[], RegExp, object][] = [
    [
      ['status'],
      /Acme \(active\), 0 active Macs[\s\S]*0 running, 1 waiting[\s\S]*rb_000001/,
      { account: { name: 'Acme' } },
    ],
    [
      ['queue'],
      /POS +BUILD[\s\S]*1 +rb_000001 +queued +folder +the Macs are busy, at most 0s/,
      { queued_count: 1 },
    ],
    [
      ['builds', '--status', 'active', '--limit', '5'],
      /rb_000001 +queued/,
      { builds: [{ id: 'rb_000001' }] },
    ],
    [['catalog'], /TIER +PRICE/, { tiers: [] }],
    [['errors', '--kind', 'api', '--self'], /no errors/, { errors: [] }],
    [['priority', 'rb_000001', '1'], /rb_000001 priority 1, position 1/, { priority: 1 }],
    [['cancel', 'rb_000001'], /rb_000001 cancelled/, { status: 'cancelled' }],
    [['secrets', 'set', 'TOKEN', 'v'], /TOKEN stored/, { name: 'TOKEN' }],
    [['secrets', 'list'], /TOKEN +2026-01-01/, { secrets: [{ name: 'TOKEN' }] }],
    [['artifacts', 'rb_000001'], /no artifacts/, { artifacts: [] }],
  ];
  for (const [args, text, json] of table) {
    t.match(await runCli(place, args), { code: 0, stdout: text, stderr: '' }, args.join(' '));
    t.match(JSON.parse((await runCli(place, [...args, '--json'])).stdout), json);
  }
  t.match(service.seen('GET /builds').at(-1)?.path, /\?status=active&limit=5$/);
  t.match(service.seen('GET /errors').at(-1)?.path, /kind=api&key=self$/);

  await runCli(place, ['secrets', 'set', 'PIPED'], { input: 'from a pipe\n' });
  t.equal(service.secrets.get('PIPED'), 'from a pipe', 'the line break of echo is not part of it');
  writeFileSync(join(place.project, 'key.pem'), 'line\nline\n');
  await runCli(place, ['secrets', 'set', 'FILE', '--file', 'key.pem']);
  t.equal(service.secrets.get('FILE'), 'line\nline\n', 'a file is taken byte for byte');
  t.match(await runCli(place, ['secrets', 'set', 'X', 'v', '--file', 'key.pem']), { code: 64 });
  t.match(await runCli(place, ['secrets', 'set', 'X', '--file', 'nowhere']), { code: 64 });
  t.match(await runCli(place, ['secrets', 'rm', 'FILE']), { code: 0, stdout: 'FILE deleted\n' });
  t.match(await runCli(place, ['secrets', 'rm', 'FILE']), { code: 70, stderr: /secret_not_found/ });
  const short = JSON.stringify({ name: 'S', masked: false, created_at: '', updated_at: '' });
  service.instead('PUT /secrets/S', { status: 200, text: short });
  t.match(await runCli(place, ['secrets', 'set', 'S', 'ab']), {
    stderr: /warning: .*too short to be masked/,
  });
});

t.test('completion scripts are valid and complete what they should', async (t) => {
  const { place } = await setUp(t);
  const { stdout: script } = await runCli(place, ['completion', 'bash']);
  execFileSync('bash', ['-n'], { input: script });
  const complete = (...words: string[]) => {
    const array = words.map((word) => `'${word}'`).join(' ');
    const run = `${script}\nCOMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _cidermill; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', run]).toString().trim().split('\n');
  };
  t.same(complete('cidermill', 'bu'), ['build', 'builds']);
  t.same(complete('cidermill', 'secrets', ''), [
    'set',
    'list',
    'rm',
    '--url',
    '--key',
    '--json',
    '-V',
    '--version',
    '-h',
    '--help',
  ]);
  t.same(complete('cidermill', 'build', '--sc'), ['--script', '--script-file']);
  t.same(complete('cidermill', 'builds', '--status', 'q'), ['queued']);
  t.same(complete('cidermill', '--json', 'completion', ''), [
    'bash',
    'zsh',
    'fish',
    '--url',
    '--key',
    '--json',
    '-V',
    '--version',
    '-h',
    '--help',
  ]);
  t.same(complete('cidermill', 'secrets', 'set', '--fi'), ['--file']);
  const zsh = (await runCli(place, ['completion', 'zsh'])).stdout;
  t.match(zsh, /^#compdef cidermill\n/);
  const fish = (await runCli(place, ['completion', 'fish'])).stdout;
  const commands = [
    'login',
    'status',
    'catalog',
    'build',
    'builds',
    'logs',
    'cancel',
    'priority',
    'artifacts',
    'secrets',
    'rent',
    'orders',
    'pay-status',
    'macs',
    'extend',
    'reset',
    'xcode',
    'setup',
    'jobs',
    'waitlist',
    'queue',
    'errors',
    'upload',
    'completion',
  ];
  for (const name of commands) {
    t.ok(complete('cidermill', name).includes(name), name);
    t.match(zsh, new RegExp(`_cidermill_${name.replaceAll('-', '_')}\\(\\)`));
    t.match(fish, new RegExp(`-a ${name} `));
  }
  t.match(await runCli(place, ['completion', 'tcsh']), { code: 64 });
});

t.test('the quick reading of a build command agrees with the thorough one', async (t) => {
  const texts = [
    '--',
    '-',
    '',
    'make',
    '-j4',
    '--json',
    '--url',
    '--nonsense',
    '--help',
    '-h',
    '--pr',
    '0',
    '7',
    '1',
    '--script=x',
  ];
  const words = fc.oneof(
    fc.constantFrom(...texts),
    fc.constantFrom(...buildOptions.map(({ name }) => `--${name}`)),
    fc.constantFrom('x', 'a b', '360', '361'),
  );
  let understood = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(words, { maxLength: 8 }), async (args) => {
      const quick = readBuildArguments(args);
      if (!quick) return true;
      understood++;
      let thorough: unknown = null;
      const command = buildCommand().action((words: string[], _options: unknown, self: Command) => {
        thorough = { options: self.optsWithGlobals(), words };
      });
      const program = createProgram();
      program.addCommand(command.copyInheritedSettings(program));
      await program.parseAsync(['build', ...args], { from: 'user' });
      return isDeepStrictEqual(thorough, { options: { ...quick.options }, words: quick.words });
    }),
    { numRuns: 600 },
  );
  t.ok(understood > 50);
});

t.test('numbers and texts as people read them', (t) => {
  const sizes: [number, string][] = [
    [0, '0 B'],
    [999, '999 B'],
    [1500, '1.5 kB'],
    [99_950, '100 kB'],
    [54_000_000, '54.0 MB'],
    [2e13, '20.0 TB'],
  ];
  for (const [bytes, text] of sizes) t.equal(formatBytes(bytes), text);
  const spans: [number, string][] = [
    [8.4, '8s'],
    [65, '1m05s'],
    [3600, '1h00m'],
    [90_000, '1d01h'],
  ];
  for (const [seconds, text] of spans) t.equal(formatSpan(seconds), text);
  t.equal(formatWon(1_234_567), '1,234,567 won');
  t.equal(formatTime(null), '-');
  t.equal(formatTime('soon'), 'soon');
  t.equal(
    formatTable(
      ['A', 'B'],
      [
        ['long', 'x'],
        ['s', ''],
      ],
    ),
    'A     B\nlong  x\ns\n',
  );
  t.equal(printable('a\u001b[31mb\u001b[0m\u0007\tc\nd\u202e\u0085'), 'ab c d');
  t.equal(printable('a\nb', '\n'), 'a\nb');
  t.end();
});
