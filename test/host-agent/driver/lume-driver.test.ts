// Macs as virtual machines of lume, over its stand-in with real guests, which are reached by ssh only.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import { runInGuest } from '../../../host-agent/guest/run.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { until } from '../../harness/until.js';
import { openLumeHost } from '../../harness/vm/lume-host.js';
import { lumeRig } from './lume-rig.js';

const image = 'ghcr.io/acme/macos:26';
const mac = desiredMac({ slot_id: 's1', image, cpu_cores: 6, memory_gb: 12, disk_gb: 90 });
const WAIT = { timeoutMs: 20_000 };

t.test(
  'a Mac is created, found by the next agent, started after a reboot, and removed without a trace',
  async (t) => {
    const host = await openLumeHost(t);
    const rig = lumeRig(host);
    const want = { ...mac, image_digest: host.digests[image] ?? null };
    await createMacChanges(rig.open()).bring(want, () => {});

    const driver = rig.open();
    t.match(await driver.listMacs(), [
      { slot_id: 's1', record: { rental_id: mac.rental_id }, stopped: false },
    ]);
    const access = await driver.guest('s1');
    t.match(access, { user: 'lume', home: '/Users/lume', transport: { kind: 'ssh' } });
    if (access === null) return;
    const run = async (...argv: string[]) =>
      (await runInGuest(access.transport, argv, WAIT)).stdout.toString();
    t.equal(await run('whoami'), 'lume\n');
    t.equal(await run('sudo', '-n', 'id', '-u'), '0\n');
    await t.resolveMatch(runInGuest(access.transport, ['dscl', '.', '-authonly', 'lume', 'lume'], WAIT), {
      status: 1,
    });

    const address = await rig.tool.address(access.vm);
    await host.kill();
    await until(async () => !(await access.running()), 'it has ended');
    t.match(await driver.listMacs(), [{ record: {}, stopped: true }]);
    await createMacChanges(driver).bring(want, () => {});
    t.match(await driver.listMacs(), [{ record: {}, stopped: false }]);
    t.equal(await run('whoami'), 'lume\n', 'the same connection data still hold');
    t.ok(address);

    await driver.remove('s1');
    t.same(await driver.listMacs(), []);
    t.same(await rig.tool.list(), []);
    t.same(readdirSync(path.join(host.home, 'vms')), []);
    t.notOk(
      filesBelow(rig.dataDir).some((file) => file.includes('/ssh/')),
      'no key is left',
    );
  },
);

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());

t.test('the password of images is in no file and no command line of the host', async (t) => {
  const password = 'lume';
  const host = await openLumeHost(t, { images: { [image]: { user: 'someone', password } } });
  const rig = lumeRig(host, { user: 'someone' });
  await createMacChanges(rig.open({ password })).bring({ ...mac, image_digest: null }, () => {});
  const holding = filesBelow(rig.dataDir).filter((file) => /\blume\b/.test(readFileSync(file, 'utf8')));
  t.same(holding, []);
  t.notOk(host.calls().some((call) => call.some((word) => word === password)));
  for (const file of filesBelow(rig.dataDir).filter((name) => name.includes('/ssh/'))) {
    if (!file.endsWith('.pub')) t.equal(statSync(file).mode & 0o077, 0, file);
  }
});

t.test('a guest with another address after its reboot is found again', async (t) => {
  const host = await openLumeHost(t);
  const rig = lumeRig(host);
  const driver = rig.open();
  await createMacChanges(driver).bring({ ...mac, image_digest: null }, () => {});
  const access = await driver.guest('s1');
  if (access === null) throw new Error('no guest');
  const before = await rig.tool.address(access.vm);
  await runInGuest(access.transport, ['true'], WAIT);
  host.forgetLeases();
  await host.kill();
  await driver.start('s1', () => {});
  t.not(await rig.tool.address(access.vm), before);
  await until(async () => {
    const ran = await runInGuest(access.transport, ['true'], WAIT).catch(() => ({ status: 1 }));
    return ran.status === 0;
  }, 'the open transport finds the new address');
});
