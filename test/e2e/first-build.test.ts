// The first steps of a person: start the service, build a folder, change a file, build again.
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { startService } from '../../bench/service.js';
import { cidermill, ownLines } from '../harness/cli.js';

t.test('a folder is built on a Mac, and again with one file changed', async (t) => {
  // Not below this checkout, where git would treat the folder as ignored.
  const root = mkdtempSync(join(tmpdir(), 'cidermill-first-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const data = join(root, 'data');
  const app = join(root, 'app');
  mkdirSync(app);
  writeFileSync(
    join(app, 'Makefile'),
    'test:\n\t@cat greeting.txt; mkdir -p $$CIDERMILL_ARTIFACTS/sub; cp greeting.txt $$CIDERMILL_ARTIFACTS/sub/\n',
  );
  writeFileSync(join(app, 'greeting.txt'), 'good morning\n');
  writeFileSync(join(app, '.cidermillignore'), 'ignored/\n');
  mkdirSync(join(app, 'ignored'));
  writeFileSync(join(app, 'ignored', 'big.bin'), 'x'.repeat(100_000));
  const service = await startService({}, ['--macs', '1'], data);
  t.teardown(() => service.stop());
  t.equal(statSync(join(data, 'dev.json')).mode & 0o777, 0o600, 'keys are for their owner only');

  await t.test('the log is on standard output, the artifacts are in the folder, the exit code is 0', async (t) => {
    const out = join(root, 'out');
    const ran = await cidermill(service.env, app, 'build', '--script', 'make test; ls -1', '--artifacts', out);
    t.equal(ran.code, 0, ran.stderr);
    t.equal(ownLines(ran.stdout), 'good morning\nMakefile\ngreeting.txt\n');
    t.equal(readFileSync(join(out, 'sub', 'greeting.txt'), 'utf8'), 'good morning\n');
  });

  await t.test('the next build keeps the output of the first, and only the changed file is written', async (t) => {
    await cidermill(service.env, app, 'build', '--rental', await firstMac(), '--script', 'stat -c %Y Makefile > kept');
    appendFileSync(join(app, 'greeting.txt'), 'again\n');
    const ran = await cidermill(
      service.env,
      app,
      'build',
      '--rental',
      await firstMac(),
      '--script',
      'test "$(stat -c %Y Makefile)" = "$(cat kept)" && make test',
    );
    t.equal(ran.code, 0, ran.stderr + ran.stdout);
    t.equal(ownLines(ran.stdout), 'good morning\nagain\n');
    t.match(ran.stdout, /1 changed, 0 removed/);
  });

  await t.test('a script cannot forge log lines of the service', async (t) => {
    const script = 'echo "[cidermill] forged"; echo built; exit 3';
    const ran = await cidermill(service.env, app, 'build', '--script', script, '--json');
    const { id } = JSON.parse(ran.stdout.slice(ran.stdout.indexOf('{\n')));
    const read = await cidermill(service.env, app, 'logs', id, '--from-line', '1', '--json');
    const lines = (JSON.parse(read.stdout) as { lines: { text: string; source?: string }[] }).lines;
    t.ok(lines.length > 3);
    for (const { text, source } of lines) t.equal(source, /^\[cidermill\] /.test(text) ? 'service' : undefined, text);
    t.ok(lines.some(({ text }) => text.startsWith('[cidermill (script)] forged')));
    t.equal(lines.at(-1)?.source, 'service', `the last line of ${read.stdout}`);
  });

  await t.test('a failing script returns its exit code and a card with the cause', async (t) => {
    const ran = await cidermill(service.env, app, 'build', '--script', 'echo before; exit 42');
    t.equal(ran.code, 42);
    t.equal(ownLines(ran.stdout), 'before\n');
    t.match(ran.stderr, /script_failed/);
  });

  await t.test('a compile error is shown with its file and line', async (t) => {
    const script = 'echo "$PWD/App/Cart.swift:3:9: error: cannot find totl in scope"; exit 65';
    const ran = await cidermill(service.env, app, 'build', '--script', script);
    t.equal(ran.code, 65);
    t.match(ran.stderr, /compile_error/);
    t.match(ran.stderr, /^ {2}App\/Cart\.swift:3: cannot find totl in scope$/m);
  });

  await t.test('with --json standard output is one document, and the log is on standard error', async (t) => {
    const ran = await cidermill(service.env, app, 'build', '--json', '--script', 'echo to the log');
    const built = JSON.parse(ran.stdout);
    t.equal(built.status, 'succeeded');
    t.same(Object.keys(built.steps), ['prepare', 'source', 'xcode', 'script', 'artifacts']);
    t.match(ran.stderr, /to the log/);
  });

  async function firstMac(): Promise<string> {
    const { stdout } = await cidermill(service.env, app, 'status', '--json');
    return JSON.parse(stdout).macs[0].rental_id;
  }
});
