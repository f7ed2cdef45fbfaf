// Macs as virtual machines of tart, over its stand-in with real guests.
// Runs in: soak
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import { presentFact } from '../../../host-agent/daemon/macs/facts.js';
import { runInGuest } from '../../../host-agent/guest/run.js';
import { systemClock } from '../../../shared/clock.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { until } from '../../harness/until.js';
import { openTartHost } from '../../harness/vm/tart-host.js';
import { IMAGE, tartRig, untilHost } from './tart-rig.js';

const mac = desiredMac({ slot_id: 's1', image: IMAGE, cpu_cores: 6, memory_gb: 12, disk_gb: 90 });

t.test('a Mac gets another Xcode, a runtime and a tool, and a reset keeps its caches', async (t) => {
  const host = await openTartHost(t, { images: { [IMAGE]: {} } });
  const rig = tartRig(host);
  const driver = rig.open();
  const changes = createMacChanges(driver);
  const want = { ...mac, image_digest: host.digests[IMAGE] ?? null };
  await changes.bring(want, () => {});
  const steps: string[] = [];
  const more = { xcode: '16.4', runtimes: ['iOS 18.6'], tools: ['swiftlint'] };
  await changes.bring({ ...want, revision: 2, ...more }, ({ step }) => void steps.push(step));
  t.same([...new Set(steps)], ['xcode', 'runtimes', 'tools']);
  const sh = async (script: string) => {
    const access = await driver.guest('s1');
    if (access === null) throw new Error('no guest');
    const { stdout } = await runInGuest(access.transport, ['/bin/zsh', '-lc', script], { timeoutMs: 10_000 });
    return stdout.toString();
  };
  t.equal(await sh('xcode-select -p'), '/Applications/Xcode_16.4.app/Contents/Developer\n');
  t.match(await sh('xcrun simctl list runtimes; swiftlint'), /iOS 18\.6(.|\n)*swiftlint/);
  await t.rejects(
    changes.bring({ ...want, revision: 3, ...more, xcode: '9.0' }, () => {}),
    /it has 16\.4, 26\.1/,
  );
  t.match(await driver.listMacs(), [{ record: { ...more, revision: 2 } }], 'the Mac stays as it was');

  const cache = 'Library/Caches/Homebrew/a';
  await sh(`mkdir -p ~/Library/Caches/Homebrew; touch ~/${cache} ~/.netrc; mkdir -p /Users/Shared/cidermill/work/x`);
  const [vm] = await host.running();
  await changes.bring({ ...want, revision: 4, ...more, empty_work: true }, () => {});
  t.equal(await sh(`cd; ls -d ${cache} .netrc /Users/Shared/cidermill/work/x 2>/dev/null || true`), `${cache}\n`);
  t.same(await host.running(), [vm], 'the virtual machine is the same');

  rmSync(path.join(rig.dataDir, 'baselines'), { recursive: true });
  await changes.bring({ ...want, revision: 5, ...more, empty_work: true }, () => {});
  t.notSame(await host.running(), [vm], 'a new one where the home folder of the image is not known');
  t.equal(await sh('xcode-select -p'), '/Applications/Xcode_16.4.app/Contents/Developer\n');
  await driver.remove('s1');
});

t.test('a Mac is created, found by the next agent, started after a reboot, and removed without a trace', async (t) => {
  const host = await openTartHost(t, { images: { [IMAGE]: { diskGb: 50 } } });
  const rig = tartRig(host);
  const driver = rig.open();
  await createMacChanges(driver).bring({ ...mac, image_digest: host.digests[IMAGE] ?? null }, () => {});
  const [made] = await driver.listMacs();
  t.match(made, { slot_id: 's1', record: { rental_id: mac.rental_id }, stopped: false });
  t.match(made && presentFact(made), { state: 'ready', image_digest: host.digests[IMAGE] });
  const names = await host.running();
  t.equal(names.length, 1);
  t.match(names[0], /^cidermill-[0-9a-f]{10}$/);
  const access = await rig.open().guest('s1');
  t.match(access, { user: 'admin', home: '/Users/admin', vm: names[0] });
  if (access === null) return;
  const { stdout } = await runInGuest(access.transport, ['whoami'], { timeoutMs: 10_000 });
  t.equal(stdout.toString(), 'admin\n');
  await host.kill(names[0] ?? '');
  await until(async () => (await host.running()).length === 0, 'it is off');
  const again = rig.open();
  t.match(await again.listMacs(), [{ record: {}, stopped: true }]);
  await createMacChanges(again).bring({ ...mac, image_digest: host.digests[IMAGE] ?? null }, () => {});
  t.match(await again.listMacs(), [{ record: {}, stopped: false }]);
  await again.remove('s1');
  t.same(await again.listMacs(), []);
  t.same(
    (await rig.tool.list()).map((vm) => vm.name),
    [],
  );
});

t.test('the clock of a guest is set when it boots, and after this host has slept', async (t) => {
  const host = await openTartHost(t);
  let sleptMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + sleptMs };
  const driver = tartRig(host).open({ clock });
  const want = desiredMac({ slot_id: 's1', image: IMAGE, image_digest: host.digests[IMAGE] ?? null });
  await createMacChanges(driver).bring(want, () => {});
  const access = await driver.guest('s1');
  if (access === null) throw new Error('no guest');
  const file = host.guestFile(access.vm, 'private/var/db/stand-in/clock-offset');
  /** Seconds by which the guest is ahead of this host. */
  const ahead = async () => {
    const { stdout } = await runInGuest(access.transport, ['date', '+%s'], { timeoutMs: 10_000 });
    return Math.round(Number(stdout) - clock.now() / 1000);
  };
  writeFileSync(file, '-3600');
  t.ok(Math.abs((await ahead()) + 3600) < 5);
  await host.kill(access.vm);
  await untilHost(async () => (await driver.listMacs())[0]?.stopped === true, 'it is noticed');
  await driver.start('s1', () => {});
  t.ok(Math.abs(await ahead()) < 5, 'set when it boots');
  writeFileSync(file, '-3600');
  await driver.emptyWork('s1');
  t.ok(Math.abs(await ahead()) < 5, 'set by a reset that keeps caches');

  const watch = driver.watch({ macs() {}, images() {}, inventory() {} });
  t.teardown(() => watch.close());
  sleptMs = 600_000;
  await untilHost(async () => Math.abs(await ahead()) < 5, 'set after this host has slept');
});

t.test('a host whose tool has not been used yet has an inventory', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host, { home: `${host.home}/not/yet` });
  mkdirSync(rig.dataDir);
  const driver = rig.open();
  t.match(await driver.inventory(), { driver: 'tart', blocked: null });
  t.ok((await driver.inventory()).disk_free_bytes > 0);
});
