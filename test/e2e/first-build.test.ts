// The first steps of a person: start the service, build a folder, change a file, build again, restart the service.
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
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
  let service = await startService({}, ['--macs', '1'], data);
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

  await t.test('a second start on the same data keeps keys, Macs and builds', async (t) => {
    const before = service;
    const earlier = await buildIds();
    await service.stop({ keepData: true });
    service = await startService({}, ['--macs', '1', '--test-clock'], data);
    t.equal(service.api_key, before.api_key);
    t.equal(service.org_id, before.org_id);
    t.same(await buildIds(), earlier);
    const ran = await cidermill(service.env, app, 'build', '--script', 'make test');
    t.equal(ran.code, 0, ran.stderr);
  });

  await t.test('the catalog describes the machine', async (t) => {
    const { stdout } = await cidermill(service.env, app, 'catalog', '--json');
    const { cpu_cores, memory_gb } = JSON.parse(stdout).tiers[0].spec;
    // The cores that builds can use. The machine may have more if the service is pinned to some of them.
    t.same([cpu_cores, memory_gb], [availableParallelism(), Math.round(totalmem() / 2 ** 30)]);
  });

  await t.test(
    'with the test clock moved, rentals end, and a build that waits for a Mac expires after a day',
    async (t) => {
      const move = async (hours: number) => {
        const answer = await fetch(`${service.site_url}/dev/clock`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ advance_ms: hours * 3_600_000 }),
        });
        t.equal(answer.status, 200);
      };
      const build = (...more: string[]) => cidermill(service.env, app, 'build', '--script', 'true', ...more);
      await move(30 * 24);
      t.match((await build()).stderr, /no_active_rental/);
      const waiting = await build('--queue-until-rental', '--detach', '--json');
      t.equal(waiting.code, 0, waiting.stderr);
      const { id } = JSON.parse(waiting.stdout);
      const status = async () => {
        const answer = await fetch(`${service.base_url}/builds/${id}`, {
          headers: { authorization: `Bearer ${service.api_key}` },
        });
        return (await answer.json()) as { status: string; end_reason: string | null };
      };
      await move(23);
      t.equal((await status()).status, 'queued');
      await move(1);
      t.match(await status(), { status: 'expired', end_reason: 'queue_timeout' });
      t.equal((await fetch(`${service.site_url}/dev/clock`)).status, 200);
    },
  );

  async function buildIds(): Promise<string[]> {
    const { code, stdout, stderr } = await cidermill(service.env, app, 'builds', '--json');
    t.equal(code, 0, `builds are listed ${stderr}`);
    return JSON.parse(stdout).builds.map((build: { id: string }) => build.id);
  }

  async function firstMac(): Promise<string> {
    const { stdout } = await cidermill(service.env, app, 'status', '--json');
    return JSON.parse(stdout).macs[0].rental_id;
  }
});
