// Faults around a virtual machine: a change may fail, but leaves nothing behind, and the next one succeeds.
import t, { type Test } from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import type { MacDriver } from '../../../host-agent/driver/driver.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { casesOf } from '../../harness/soak.js';
import type { Fault } from '../../harness/vm/tart-host.js';
import { openLume, openTart, type VmHost } from './driver-hosts.js';
import { untilHost } from './tart-rig.js';

const bring = (driver: MacDriver, host: VmHost, given = {}) =>
  createMacChanges(driver).bring(desiredMac({ slot_id: 's1', ...host.model, ...given }), () => {});

interface Case {
  readonly fault: Fault;
  readonly value?: string;
  readonly times?: number;
  /** The error with which creating a Mac fails; absent if it succeeds. */
  readonly fails?: RegExp;
  /** The image has to be fetched. */
  readonly fetches?: boolean;
}

const cases: Readonly<Record<string, Case>> = {
  'a clone fails at its end': {
    fault: 'clone-fails',
    times: 1,
    fails: /Input\/output error|directoryCreationFailed/,
  },
  'the disk is full for a clone': { fault: 'clone-disk-full', times: 1, fails: /out of space/ },
  'the disk is full for an image': {
    fault: 'pull-disk-full',
    times: 1,
    fails: /out of space/,
    fetches: true,
  },
  'a fetch breaks': {
    fault: 'pull-breaks',
    value: '40',
    times: 1,
    fails: /connection was lost/,
    fetches: true,
  },
  'the registry refuses': {
    fault: 'unauthorized',
    times: 1,
    fails: /AuthFailed|manifestFetchFailed/,
    fetches: true,
  },
  'the keychain is locked': { fault: 'keychain-locked', times: 1, fails: /must be unlocked/ },
  'a place is leaked': { fault: 'leaked-slots', value: '2', times: 1, fails: /restart this host/ },
  'a slow boot': { fault: 'boot-ms', value: '1500' },
  'a list that takes its time': { fault: 'list-hangs', value: '1', times: 1 },
  'a machine that does not end': { fault: 'stop-ignored' },
};

/** Where commands run through the tool itself. */
const execCases: Readonly<Record<string, Case>> = {
  'no address': { fault: 'no-address' },
  'a guest agent that comes late': { fault: 'exec-refuses', times: 3 },
};

async function endures(t: Test, host: VmHost, { fault, value, times, fails, fetches }: Case): Promise<void> {
  if (fetches) for (const image of await host.tool.images()) await host.tool.deleteImage(image.ref);
  host.fault(fault, value, times);
  const attempt = bring(host.open(), host);
  if (fails) await t.rejects(attempt, { message: fails });
  else await attempt;
  const driver = host.open();
  await bring(driver, host);
  t.equal(await host.sh(driver, 's1', 'echo here'), 'here\n');
  await driver.remove('s1');
  host.mend(fault);
  const watch = driver.watch({ macs() {}, images() {}, inventory() {} });
  await untilHost(async () => (await host.traces()).length === 0, 'nothing is left');
  await watch.close();
}

for (const [kind, open, all] of [
  ['tart', openTart, { ...cases, ...execCases }],
  ['lume', openLume, cases],
] as const) {
  const chosen = casesOf(all, []);
  if (chosen.length === 0) continue;
  t.test(`${kind}: a Mac is created despite faults of the tool`, async (t) => {
    const host = await open(t);
    await host.tool.pull(
      { ref: host.model.image ?? '', digest: null },
      { progress: () => {}, signal: new AbortController().signal },
    );
    for (const [name, one] of chosen) await t.test(name, (t) => endures(t, host, one));
  });
}

type Life = (t: Test, host: VmHost, driver: MacDriver) => Promise<void>;

const lives: Readonly<Record<string, Life>> = {
  async 'a machine that dies is started again with what was on it'(t, host, driver) {
    await host.sh(driver, 's1', 'echo mine >~/kept; sync');
    let noticed = 0;
    const watch = driver.watch({ macs: () => void noticed++, images() {}, inventory() {} });
    const access = await driver.guest('s1');
    await untilHost(() => noticed > 0, 'seen running');
    noticed = 0;
    await host.kill(access?.vm ?? '');
    await untilHost(() => noticed > 0, 'noticed');
    t.match(await driver.listMacs(), [{ record: { generation: 1 }, stopped: true }]);
    await t.rejects(driver.guest('s1'), { name: 'VmLostError' });
    await bring(driver, host);
    t.equal(await host.sh(driver, 's1', 'cat ~/kept'), 'mine\n');
    await watch.close();
  },
  async 'a tenant switches the Mac off'(t, host, driver) {
    await host.sh(driver, 's1', 'sudo /sbin/shutdown -h now').catch(() => undefined);
    await untilHost(async () => (await driver.listMacs())[0]?.stopped === true, 'it is off');
    await bring(driver, host);
    t.equal(await host.sh(driver, 's1', 'echo here'), 'here\n');
  },
  async 'a tenant restarts the Mac'(t, host, driver) {
    const session = () => host.sh(driver, 's1', 'sysctl -n kern.bootsessionuuid').catch(() => '');
    const before = await session();
    await host.sh(driver, 's1', 'sudo /sbin/reboot').catch(() => undefined);
    await untilHost(async () => ![before, ''].includes(await session()), 'it is up again');
    t.match(await driver.listMacs(), [{ record: { generation: 1 }, stopped: false }]);
  },
  async 'a tenant destroys the system'(t, host, driver) {
    await host.sh(driver, 's1', 'sudo rm -rf /bin /sbin /usr/bin /private/etc; exit 0').catch(() => undefined);
    await t.rejects(host.sh(driver, 's1', 'echo here'));
    await bring(driver, host, { generation: 2 });
    t.equal(await host.sh(driver, 's1', 'echo here'), 'here\n');
  },
  async 'a guest whose disk is full is emptied'(t, host, driver) {
    const { work } = host.folders(driver, 's1');
    const fill = `mkdir -p '${work}/a' && dd if=/dev/zero of='${work}/a/zeros' bs=1048576 2>&1; df -k ~ | tail -1`;
    t.match(await host.sh(driver, 's1', fill), /No space left on device/);
    await t.resolves(driver.emptyWork('s1'));
    t.equal(
      await host.sh(driver, 's1', 'dd if=/dev/zero of=$HOME/more bs=1048576 count=2 2>/dev/null && echo room'),
      'room\n',
    );
  },
  async 'a guest whose clock is wrong is corrected when it starts'(t, host, driver) {
    await host.sh(driver, 's1', 'sudo date 010203042020 >/dev/null');
    t.match(await host.sh(driver, 's1', 'date +%Y'), '2020');
    const access = await driver.guest('s1');
    await host.kill(access?.vm ?? '');
    await untilHost(async () => (await driver.listMacs())[0]?.stopped === true, 'it is off');
    await bring(driver, host);
    const skew = Number(await host.sh(driver, 's1', 'date +%s')) - Date.now() / 1000;
    t.ok(Math.abs(skew) < 10, `${skew} s`);
  },
};

for (const [name, life] of casesOf(lives, ['a guest whose disk is full is emptied'])) {
  t.test(`tart: ${name}`, async (t) => {
    const host = await openTart(t);
    if (name.includes('disk is full')) host.fault('guest-disk-mb', '12');
    const driver = host.open();
    await bring(driver, host);
    await life(t, host, driver);
  });
}
