// What goes wrong on this machine is said in a line, and before the build where it can be.
// Runs in: soak
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemProblem } from '../../shared/system-problem.js';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';
import { spawnCli } from './spawn-cli.js';

t.test('an unusable folder for artifacts is refused before the build', async (t) => {
  const { service, place } = await setUp(t, { 'a.txt': 'hello', file: 'a file' });
  service.onSubmit = (build) => {
    build.addArtifact('report.txt', 'one');
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
  const bad: [string, RegExp][] = [
    ['file', /--artifacts: .*\/file is not a folder/],
    ['file/below', /--artifacts: .*\/file is not a folder/],
    ['', /--artifacts must name a folder/],
    [' ', /--artifacts must name a folder/],
  ];
  for (const [folder, stderr] of bad) {
    const ended = await runCli(place, ['build', '--script', 'x', '--artifacts', folder]);
    t.match(ended, { code: 64, stderr }, JSON.stringify(folder));
    t.notMatch(ended.stderr, /\n +at /);
  }
  t.match(await runCli(place, ['build', '--script', 'x', '--dir', '']), {
    code: 64,
    stderr: /--dir must name/,
  });
  t.equal(service.seen('POST /builds').length, 0, 'nothing was built');
  t.equal((await runCli(place, ['build', '--script', 'x', '--artifacts', 'new/deep'])).code, 0);
  t.equal(readFileSync(join(place.project, 'new/deep/report.txt'), 'utf8'), 'one');
  for (const folder of ['file', '']) {
    const ended = await runCli(place, ['artifacts', 'rb_000001', '--output', folder]);
    t.match(ended, { code: 64, stderr: /--output/ }, folder);
  }
});

t.test('an empty path of a file is refused, and nothing is read or sent', async (t) => {
  const { service, place } = await setUp(t);
  t.match(await runCli(place, ['build', '--script-file', '']), {
    code: 64,
    stderr: /--script-file needs the path of a file, or - for standard input/,
  });
  t.match(await runCli(place, ['secrets', 'set', 'NAME', '--file', '']), {
    code: 64,
    stderr: /--file needs the path of a file/,
  });
  t.equal(service.requests.length, 0);
});

t.test('a file where the folder of an artifact must go refuses that one alone', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = (build) => {
    for (const path of ['a/one.txt', 'a/b/two.txt', 'c.txt', 'c.txt/below', 'z.txt']) build.addArtifact(path, path);
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
  mkdirSync(join(place.project, 'out'));
  writeFileSync(join(place.project, 'out/a'), 'in the way');
  const ended = await runCli(place, ['build', '--script', 'x', '--artifacts', 'out']);
  t.equal(ended.code, 70);
  for (const path of ['a/one.txt', 'a/b/two.txt', 'c.txt/below']) {
    t.match(ended.stderr, `warning: ${path} was not saved: a part of its path exists and is not a folder`, path);
  }
  t.equal(readFileSync(join(place.project, 'out/a'), 'utf8'), 'in the way');
  t.equal(readFileSync(join(place.project, 'out/c.txt'), 'utf8'), 'c.txt');
  t.equal(readFileSync(join(place.project, 'out/z.txt'), 'utf8'), 'z.txt', 'and the others are saved');
});

t.test('a folder that was deleted under the shell', async (t) => {
  const { place } = await setUp(t);
  const gone = join(place.root, 'gone');
  for (const args of [['build', '--script', 'x'], ['status'], ['upload'], ['artifacts', 'rb_1', '--output', 'x']]) {
    mkdirSync(gone);
    const started = spawnCli({ ...place, project: gone }, args);
    rmSync(gone, { recursive: true });
    const { code, stderr } = await started.done;
    t.equal(code, 64, `${args.join(' ')}: ${stderr}`);
    t.match(stderr, /^error: the current folder no longer exists\n$/, args.join(' '));
  }
  for (const args of [
    ['admin', 'org', 'list'],
    ['host-agent', 'upgrade', 'package.tar.gz'],
  ]) {
    mkdirSync(gone);
    const started = spawnCli({ ...place, project: gone }, args);
    rmSync(gone, { recursive: true });
    const stderr = `cidermill ${args[0]}: the current folder no longer exists\n`;
    t.match(await started.done, { code: 64, stderr }, args.join(' '));
  }
});

t.test('a data folder of a host that cannot be written', async (t) => {
  const { place } = await setUp(t, { file: 'a file' });
  const data = join(place.project, 'file/data');
  const enroll = ['host-agent', 'enroll', '--url', 'http://127.0.0.1:1', '--data', data];
  const { code, stderr } = await spawnCli(place, enroll, { input: 'cme_token\n' }).done;
  t.equal(stderr, `cidermill host-agent: cannot use ${data}: a part of the path is not a folder\n`);
  t.equal(code, 64);
});

t.test('failed system calls in a line', async (t) => {
  const { place } = await setUp(t);
  const cases: [string, boolean, RegExp][] = [
    ['ENOSPC', false, /^cannot use \/x: no space is left on the disk$/],
    ['EDQUOT', false, /quota/],
    ['EMFILE', false, /too many files are open/],
    ['EIO', false, /failed to read or write/],
    ['EROFS', true, /read-only/],
    ['EACCES', true, /permission denied/],
    ['ENOENT', true, /does not exist/],
    ['ENAMETOOLONG', true, /too long/],
    ['ETXTBSY', false, /^m$/],
  ];
  for (const [code, isInput, text] of cases) {
    const error = Object.assign(new Error('m'), { code, syscall: 'write', path: '/x' });
    t.match(systemProblem(error), { isInput, text }, code);
  }
  t.equal(systemProblem(new Error('a bug')), null);
  t.equal(systemProblem(new TypeError('a bug')), null);
  const { stderr, code } = await runCli(place, ['build', '--script-file', 'nowhere']);
  t.equal(code, 64);
  t.notMatch(stderr, /\n +at /);
});
