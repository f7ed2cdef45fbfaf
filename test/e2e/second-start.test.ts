// The second start of a service on its data, with the test clock.
// Runs in: soak
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { startService } from '../../bench/service.js';
import { cidermill } from '../harness/cli.js';

t.test('a service is started again, and its clock moved', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-second-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const data = join(root, 'data');
  const app = join(root, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'Makefile'), 'test:\n\t@echo good morning\n');
  let service = await startService({}, ['--macs', '1'], data);
  t.teardown(() => service.stop());
  const first = await cidermill(service.env, app, 'build', '--script', 'make test');
  t.equal(first.code, 0, first.stderr);

  await t.test('a second start on the same data keeps keys, Macs and builds', async (t) => {
    const before = service;
    const earlier = await buildIds();
    await service.stop({ keepData: true });
    service = await startService({}, ['--macs', '1', '--test-clock'], data);
    t.equal(service.api_key, before.api_key);
    t.equal(service.org_id, before.org_id);
    t.equal(earlier.length, 1);
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
});
