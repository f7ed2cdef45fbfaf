// Macs as virtual machines of lume, over its stand-in with real guests, which are reached by ssh only.
// Runs in: soak
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
/** Unlike the user's, so that it can be searched for. */
const password = 'lume';
const user = 'someone';
const mac = desiredMac({ slot_id: 's1', image, cpu_cores: 6, memory_gb: 12, disk_gb: 90 });
const WAIT = { timeoutMs: 20_000 };

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());

t.test('a Mac is created, found by the next agent, started after a reboot, and removed without a trace', async (t) => {
  const host = await openLumeHost(t, { images: { [image]: { user, password } } });
  const rig = lumeRig(host, { user });
  const want = { ...mac, image_digest: host.digests[image] ?? null };
  await createMacChanges(rig.open({ password })).bring(want, () => {});

  const driver = rig.open();
  t.match(await driver.listMacs(), [{ slot_id: 's1', record: { rental_id: mac.rental_id }, stopped: false }]);
  const access = await driver.guest('s1');
  t.match(access, { user, home: `/Users/${user}`, transport: { kind: 'ssh' } });
  if (access === null) return;
  const run = async (...argv: string[]) => (await runInGuest(access.transport, argv, WAIT)).stdout.toString();
  t.equal(await run('sudo', '-n', 'id', '-u'), '0\n');

  const files = filesBelow(rig.dataDir);
  t.same(
    files.filter((file) => /(?<![\w/-])lume(?![\w/])/.test(readFileSync(file, 'latin1'))),
    [],
    'the password of the image is in no file',
  );
  t.notOk(host.calls().some((call) => call.includes(password)));
  const keys = files.filter((file) => file.includes('/ssh/') && !file.endsWith('.pub'));
  t.equal(keys.length, 2);
  for (const file of keys) t.equal(statSync(file).mode & 0o077, 0, file);

  const address = await rig.tool.address(access.vm);
  host.forgetLeases();
  await host.kill();
  await until(async () => !(await access.running()), 'it has ended');
  t.match(await driver.listMacs(), [{ record: {}, stopped: true }]);
  await createMacChanges(driver).bring(want, () => {});
  t.match(await driver.listMacs(), [{ record: {}, stopped: false }]);
  t.not(await rig.tool.address(access.vm), address);
  await until(
    () =>
      run('true').then(
        () => true,
        () => false,
      ),
    'a transport that was open finds the new address',
  );

  await driver.remove('s1');
  t.same(await driver.listMacs(), []);
  t.same(await rig.tool.list(), []);
  t.same(readdirSync(path.join(host.home, 'vms')), []);
  t.notOk(
    filesBelow(rig.dataDir).some((file) => file.includes('/ssh/')),
    'no key is left',
  );
});
