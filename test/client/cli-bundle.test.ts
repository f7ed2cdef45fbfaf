// The bundle that the client's commands run from.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { BIN, type Place, runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';
import { sha256 } from './scripted-service.js';

/** The command's two files in a folder where there is nothing else that they could load. */
function copyAlone(place: Place): string {
  const bin = join(place.root, 'alone', 'bin.cjs');
  mkdirSync(join(dirname(bin), 'cli'), { recursive: true });
  copyFileSync(BIN, bin);
  copyFileSync(join(dirname(BIN), 'cli/start.cjs'), join(dirname(bin), 'cli/start.cjs'));
  return bin;
}

t.test('a build runs from the bundle alone, however it ends', async (t) => {
  const { service, place } = await setUp(t);
  const bin = copyAlone(place);
  const build = (...more: string[]) => runCli(place, ['build', '--script', 'make', ...more], { bin });

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
    t.match(await runCli(place, ['status', '--json'], { bin }), { code: 0 });
    t.match(await runCli(place, ['--help'], { bin }), { code: 0, stdout: /waitlist/ });
    t.match(await build('--nonsense'), { code: 64, stderr: /unknown option '--nonsense'/ });
  });
  await t.test('commands that need more than the client do not', async (t) => {
    for (const name of ['mcp', 'dev', 'admin', 'host-agent']) {
      t.match(await runCli(place, [name], { bin }), { code: 1, stderr: /ERR_MODULE_NOT_FOUND/ }, name);
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
  const { code, stderr } = await runCli(place, ['build', '--script', 'make'], {
    env: { NODE_OPTIONS: `--require ${preload}` },
  });
  t.equal(code, 0, stderr);
  t.equal(existsSync(threads), availableParallelism() > 1);
  t.equal(service.blobs.size, files.length);
  t.ok(files.every(([, content]) => service.blobs.has(sha256(content))));
});
