// The bundle that the client's commands run from.
// Runs in: soak
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { commands } from '../../client/cli/commands.js';
import { sha256 } from '../harness/sha256.js';
import { casesOf } from '../harness/soak.js';
import type { Place } from './place.js';
import { setUp } from './scripted-place.js';
import { BIN, spawnCli } from './spawn-cli.js';

/** The command's two files in a folder where there is nothing else that they could load. */
function copyAlone(place: Place): string {
  const bin = join(place.root, 'alone', 'bin.cjs');
  mkdirSync(join(dirname(bin), 'cli'), { recursive: true });
  copyFileSync(BIN, bin);
  copyFileSync(join(dirname(BIN), 'cli/start.cjs'), join(dirname(bin), 'cli/start.cjs'));
  return bin;
}

/** Every command besides `build`, and its exit code. */
const others: Record<string, number> = {
  'artifacts rb_none': 0,
  builds: 0,
  'cancel rb_none': 64,
  catalog: 0,
  'completion bash': 0,
  errors: 0,
  'extend rt_none --days 1': 64,
  'failure rb_none': 64,
  files: 0,
  'jobs op_none --wait': 64,
  login: 0,
  'logs rb_none': 64,
  macs: 0,
  orders: 0,
  'pay-status RT-none': 64,
  'priority rb_none 1': 64,
  queue: 0,
  'rename rt_none Release': 64,
  'rent --tier local --days 1 --detach': 0,
  'rerun rb_none': 64,
  'reset rt_none -y': 64,
  'secrets list': 0,
  'setup rt_none': 64,
  status: 0,
  upload: 0,
  'wait rb_none': 64,
  waitlist: 0,
  webhooks: 64,
  'xcode 9 rt_none': 64,
};
/** Those that load most. */
const usual = ['failure rb_none', 'login', 'logs rb_none', 'rent --tier local --days 1 --detach', 'upload', 'webhooks'];

const namesOfOthers = () =>
  Object.keys(commands)
    .filter((name) => name !== 'build' && name !== 'mcp')
    .sort();

t.test('a build runs from the bundle alone, however it ends', async (t) => {
  const { service, place } = await setUp(t);
  const bin = copyAlone(place);
  const build = (...more: string[]) => spawnCli(place, ['build', '--script', 'make', ...more], { bin }).done;

  await t.test('with a failure card and artifacts', async (t) => {
    service.onSubmit = (build) => {
      build.append('it does not compile\n');
      build.addArtifact('logs/all.txt', 'everything');
      build.finish({ status: 'failed', exit_code: 7, end_reason: 'script_failed' });
    };
    const { code, stdout, stderr } = await build('--artifacts', 'out');
    t.equal(code, 7, stderr);
    t.equal(stdout, 'it does not compile\n');
    t.match(stderr, /failed/);
    t.equal(readFileSync(join(place.project, 'out/logs/all.txt'), 'utf8'), 'everything');
  });
  await t.test('with an error of the service, and what to do about it', async (t) => {
    service.instead('POST /uploads', { status: 401, error: { code: 'unauthorized', retryable: false } });
    const { code, stdout, stderr } = await build('--json');
    t.equal(code, 77, stderr);
    t.match(JSON.parse(stdout), { error: { code: 'unauthorized' } });
    t.match(stderr, /try: cidermill login/);
  });
  await t.test('with a folder that cannot be sent, and one that is not there', async (t) => {
    t.match(await build('--dir', 'nowhere'), { code: 64, stderr: /^error: .*nowhere/ });
    mkdirSync(join(place.project, 'empty'));
    t.match(await build('--dir', 'empty', '--json'), { code: 64, stdout: /"code": "usage"/ });
  });
  await t.test('so does every other command of the client', async (t) => {
    t.match(await spawnCli(place, ['--help'], { bin }).done, { code: 0, stdout: /waitlist/ });
    t.match(await build('--nonsense'), { code: 64, stderr: /unknown option '--nonsense'/ });
    t.same(
      Object.keys(others).map((line) => line.split(' ')[0]),
      namesOfOthers(),
    );
    for (const [line, code] of casesOf(others, usual)) {
      const { env } = place;
      const login = line === 'login' ? ['--url', env.CIDERMILL_URL!, '--key', env.CIDERMILL_API_KEY!] : [];
      const ended = await spawnCli(place, [...line.split(' '), ...login], { bin }).done;
      t.equal(ended.code, code, `${line} ${ended.stderr}`);
      t.notMatch(ended.stderr, /MODULE_NOT_FOUND|\n +at /, line);
    }
  });
  await t.test('commands that need more than the client do not', async (t) => {
    for (const name of ['mcp', 'dev', 'admin', 'host-agent']) {
      t.match(await spawnCli(place, [name], { bin }).done, { code: 1, stderr: /ERR_MODULE_NOT_FOUND/ }, name);
    }
  });
});

t.test('threads that hash are found from the bundle', async (t) => {
  const files = Array.from({ length: 1_100 }, (_, n) => [`d${n % 20}/f${n}`, `content ${n}`] as const);
  const { service, place } = await setUp(t, Object.fromEntries(files));
  const threads = join(place.root, 'threads');
  const preload = join(place.root, 'preload.cjs');
  writeFileSync(
    preload,
    `if (!require('node:worker_threads').isMainThread) require('node:fs').writeFileSync(${JSON.stringify(threads)}, '')`,
  );
  service.onSubmit = (build) => build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  const { code, stderr } = await spawnCli(place, ['build', '--script', 'make'], {
    env: { NODE_OPTIONS: `--require ${preload}` },
  }).done;
  t.equal(code, 0, stderr);
  t.equal(existsSync(threads), availableParallelism() > 1);
  t.equal(service.blobs.size, files.length);
  t.ok(files.every(([, content]) => service.blobs.has(sha256(content))));
});
