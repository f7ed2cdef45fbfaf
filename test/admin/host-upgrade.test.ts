// `admin host upgrade`: what it begins, prints and refuses.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Result } from '../../control-plane/admin/command.js';
import type { HostUpgrade } from '../../shared/protocol/index.js';
import { commandsOf } from '../harness/admin.js';
import { startFleet } from '../harness/fleet.js';
import { idle, inventory } from '../harness/upgrades.js';

async function open(t: Test) {
  const packages = join(t.testdir(), 'packages');
  mkdirSync(packages);
  const { h, admin } = await startFleet(t, [{ name: 'a' }, { name: 'b' }, { name: 'c' }], { packages });
  return {
    h,
    upgrade: (...argv: string[]) => admin('host', 'upgrade', ...argv),
    async runs(name: string, agentVersion: string, upgrade: HostUpgrade | null = idle) {
      await h.hosts.connect(`host_${name}`, { inventory, draining: false, agentVersion, protocol: 2 });
      await h.hosts.upgradeReported(`host_${name}`, upgrade);
      await h.workers.idle();
    },
    put(version: string) {
      const name = `cidermill-host-agent-${version}-darwin-arm64.tar.gz`;
      writeFileSync(join(packages, name), version);
      const sha256 = createHash('sha256').update(version).digest('hex');
      writeFileSync(join(packages, 'SHA256SUMS'), `${sha256}  ${name}\n`, { flag: 'a' });
    },
  };
}

t.test('an upgrade from its beginning to its end', async (t) => {
  const { h, upgrade, put, runs } = await open(t);
  t.match(await upgrade('--status'), {
    json: { upgrade: null },
    text: 'no upgrade has been started on this service yet',
  });
  await t.rejects(upgrade('--all'), { code: 'invalid_request', message: /no packages .* npm run package/ });
  await t.rejects(upgrade('--cancel'), { code: 'host_state', message: 'No upgrade is running.' });
  put('1.9.0');
  put('1.10.0');
  await t.rejects(upgrade('--all', '--to', '3.0.0'), {
    message: /no package of version 3\.0\.0; it has 1\.10\.0, 1\.9\.0/,
  });
  for (const some of [
    ['a', '--cancel'],
    ['--status', '--all'],
    ['--cancel', '--tier', 'm2'],
  ]) {
    await t.rejects(upgrade(...some), { code: 'invalid_request', message: /the whole upgrade/ });
  }
  await t.rejects(upgrade(), { code: 'invalid_request', message: /Name the hosts/ });
  await t.rejects(upgrade('nobody'), { code: 'host_not_found' });
  await runs('a', '1.9.0');
  await runs('b', '1.9.0', null);
  const begun = await upgrade('a', 'b', 'host_c');
  t.match(begun.text, /^upgrade to 1\.10\.0: running\n/, 'the newest package');
  await h.workers.idle();
  const shown = await upgrade('--status');
  t.match(shown.text, /^a +host_a +1\.9\.0 +canary +idle$/m);
  t.match(shown.text, /^b +host_b +1\.9\.0 +left out: its agent is too old to be upgraded from here$/m);
  t.match(shown.text, /^c +host_c +unknown +left out: it is not connected$/m);
  await t.rejects(upgrade('--all'), {
    code: 'host_state',
    message: /is running\. Wait until it has ended, or cancel it/,
  });
  await t.rejects(
    upgrade('--status', '--cancel'),
    { code: 'invalid_request', message: /either/ },
    'it would be stopped without an entry in the audit log',
  );
  await runs('a', '1.10.0');
  t.match(await upgrade('--status', '--wait'), {
    json: {
      upgrade: {
        version: '1.10.0',
        status: 'done',
        hosts: [{ name: 'a', state: 'done', canary: true }, {}, {}],
      },
    },
  });
  const audited = await h.store.all<{ target: string; result: string }>(
    `SELECT target, result FROM audit_log WHERE action = 'host.upgrade' ORDER BY id`,
  );
  t.same(
    audited.filter(({ result }) => result === 'ok').map(({ target }) => target),
    ['host_a,host_b,host_c'],
    'what changed something is in the audit log; --status changes nothing',
  );
});

t.test('with --wait each change is shown, and a failure is one of the command', async (t) => {
  const { h, upgrade, put, runs } = await open(t);
  put('2.0.0');
  for (const name of ['a', 'b', 'c']) await runs(name, '1.0.0');
  const failed = async () => {
    const attempt = await h.hosts.wantedAgent('host_a');
    await runs('a', '1.0.0', {
      able: true,
      platform: 'darwin-arm64',
      version: '2.0.0',
      attempt: attempt?.attempt ?? null,
      state: 'rolled_back',
      error: 'It did not start.',
    });
  };
  const pages: Result[] = [];
  const wait = commandsOf(h, {
    async shown(result) {
      pages.push(result);
      // The first page is the beginning; on the second one the canary is upgrading.
      if (pages.length === 2) await failed();
    },
  });
  await t.rejects(wait('host', 'upgrade', '--all', '--wait'), {
    code: 'host_state',
    message: /^The upgrade to 2\.0\.0 was stopped\. a: It did not start\. 0 of 3 hosts run it/,
  });
  t.match(
    pages.map(({ json }) => json),
    [
      { upgrade: { status: 'running', hosts: [{ state: 'waiting' }, {}, {}] } },
      { upgrade: { status: 'running', hosts: [{ state: 'upgrading', canary: true }, {}, {}] } },
    ],
  );
  t.match((await upgrade('--cancel')).text, /^upgrade to 2\.0\.0: cancelled\n/);
  t.match(await upgrade('--status'), { json: { upgrade: { status: 'cancelled' } } });
});
