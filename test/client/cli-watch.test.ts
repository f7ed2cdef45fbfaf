// `cidermill build --watch`: what it builds, and how it ends.
import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';
import { spawnCli } from './spawn-cli.js';

const WATCHED = /waiting for changes in/g;

async function start(t: Test, ...more: string[]) {
  const { service, place } = await setUp(t, { 'a.txt': 'one', 'src/b.txt': 'two', '.gitignore': 'ignored\n' });
  const running = spawnCli(place, ['build', '--watch', '--script', 'make', ...more]);
  t.teardown(() => running.child.kill('SIGKILL'));
  const at = (name: string) => join(place.project, name);
  /** Resolves when so many builds have ended and the command waits. */
  const waits = async (count: number) => {
    while ((running.output.stderr.match(WATCHED)?.length ?? 0) < count) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (running.child.exitCode !== null) throw new Error(running.output.stderr);
    }
  };
  const filesOf = (id: string) =>
    service.uploads
      .get(service.builds.get(id)?.view.upload_id ?? '')
      ?.files.map(({ path }) => path)
      .sort();
  return { service, place, running, at, waits, filesOf };
}

t.test('a build after each change, and none when nothing differs', async (t) => {
  const { service, running, at, waits, filesOf } = await start(t);
  await waits(1);
  appendFileSync(at('src/b.txt'), '!');
  await waits(2);
  t.equal(service.seen('POST /builds').length, 2);

  mkdirSync(at('src/new'));
  writeFileSync(at('src/new/c.txt'), 'three');
  await waits(3);
  t.same(filesOf('rb_000003'), ['.gitignore', 'a.txt', 'src/b.txt', 'src/new/c.txt']);
  appendFileSync(at('src/new/c.txt'), '!');
  await waits(4);
  rmSync(at('src/new'), { recursive: true });
  await waits(5);
  t.same(filesOf('rb_000005'), ['.gitignore', 'a.txt', 'src/b.txt']);

  const count = service.seen('POST /builds').length;
  utimesSync(at('a.txt'), new Date(), new Date());
  writeFileSync(at('src/b.txt'), readFileSync(at('src/b.txt')));
  writeFileSync(at('ignored'), 'x');
  await new Promise((resolve) => setTimeout(resolve, 500));
  t.equal(service.seen('POST /builds').length, count, 'the same contents, and a file that git ignores');

  running.child.kill('SIGINT');
  t.match(await running.done, { code: 0 }, 'Ctrl-C while it waits ends with the exit code of the last build');
});

t.test('what changes while a build runs is built after it, once', async (t) => {
  const { service, place } = await setUp(t, { 'a.txt': 'one' });
  service.onSubmit = (build) => build.append('running\n');
  const running = spawnCli(place, ['build', '--watch', '--script', 'make']);
  t.teardown(() => running.child.kill('SIGKILL'));
  await running.until('stdout', 'running\n');
  writeFileSync(join(place.project, 'a.txt'), 'two');
  writeFileSync(join(place.project, 'b.txt'), 'more');
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.equal(service.seen('POST /builds').length, 1);
  service.builds.get('rb_000001')?.finish({ status: 'failed', exit_code: 3, end_reason: 'failed' });
  await service.untilSeen('POST /builds', 2);
  service.builds.get('rb_000002')?.finish({ status: 'failed', exit_code: 4, end_reason: 'failed' });
  await running.until('stderr', 'rb_000002');
  running.child.kill('SIGTERM');
  t.match(await running.done, { code: 4 });
  t.equal(service.seen('POST /builds').length, 2);
});

t.test('Ctrl-C while a build runs cancels it and ends the command', async (t) => {
  const { service, place } = await setUp(t, { 'a.txt': 'one' });
  service.onSubmit = (build) => build.append('running\n');
  const running = spawnCli(place, ['build', '--watch', '--script', 'make']);
  t.teardown(() => running.child.kill('SIGKILL'));
  await running.until('stdout', 'running\n');
  running.child.kill('SIGINT');
  t.match(await running.done, { code: 130, stderr: /cancelled_by_user/ });
  t.equal(service.builds.get('rb_000001')?.view.status, 'cancelled');
});

t.test('a build that is refused ends the command only when it is the first one', async (t) => {
  const { service, running, at, waits } = await start(t);
  await waits(1);
  service.instead('POST /builds', { status: 403, error: { code: 'account_suspended', retryable: false } });
  appendFileSync(at('a.txt'), '!');
  await waits(2);
  t.match(running.output.stderr, /account_suspended/);
  appendFileSync(at('a.txt'), '!');
  await waits(3);
  rmSync(join(at('.')), { recursive: true });
  t.not((await running.done).code, 0, 'the folder is gone');

  const { service: other, place } = await setUp(t, { 'a.txt': 'one' });
  other.instead('POST /builds', { status: 403, error: { code: 'account_suspended', retryable: false } });
  t.match(await spawnCli(place, ['build', '--watch', '--script', 'make']).done, {
    code: 77,
    stderr: /account_suspended/,
  });
});

t.test('artifacts that are saved below the folder cause no build', async (t) => {
  const { service, place } = await setUp(t, { 'a.txt': 'one' });
  service.onSubmit = (build) => {
    build.addArtifact('result.txt', `of ${build.view.id}`);
    build.append('running\n');
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
  const running = spawnCli(place, ['build', '--watch', '--script', 'make', '--artifacts', 'out']);
  t.teardown(() => running.child.kill('SIGKILL'));
  await running.until('stderr', 'waiting for changes');
  t.equal(readFileSync(join(place.project, 'out/result.txt'), 'utf8'), 'of rb_000001');
  await new Promise((resolve) => setTimeout(resolve, 500));
  t.equal(service.seen('POST /builds').length, 1);
  running.child.kill('SIGINT');
  t.match(await running.done, { code: 0 });
});

t.test('what --watch cannot be used with', async (t) => {
  const { place } = await setUp(t, { 'a.txt': 'one' });
  const refused: [string[], RegExp][] = [
    [['--repo', 'acme/app'], /--watch is only for folders/],
    [['--repo-url', 'https://git.test/a'], /--watch is only for folders/],
    [['--detach'], /give one of --watch and --detach/],
    [['--json'], /--json prints one document/],
    [['--artifacts', '.'], /--artifacts must name another folder/],
    [['--artifacts', '..'], /--artifacts must name another folder/],
  ];
  for (const [args, stderr] of refused) {
    t.match(
      await runCli(place, ['build', '--watch', '--script', 'make', ...args]),
      { code: 64, stderr },
      args.join(' '),
    );
  }
});
