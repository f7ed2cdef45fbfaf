// Hosts that cannot create Macs report the reason and recover by themselves.
import t, { type Test } from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import type { MacDriver } from '../../../host-agent/driver/driver.js';
import type { DesiredMac } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { casesOf } from '../../harness/soak.js';
import { openTartHost, type TartHost } from '../../harness/vm/tart-host.js';
import { IMAGE, type TartRig, tartRig, untilHost, vmsOf } from './tart-rig.js';

const bring = (driver: MacDriver, want: DesiredMac) => createMacChanges(driver).bring(want, () => {});
const names = async (rig: TartRig) => (await rig.tool.list()).map((vm) => vm.name).sort();
const macOn = (host: TartHost, given: Partial<DesiredMac> = {}) =>
  desiredMac({ slot_id: 's1', image: IMAGE, image_digest: host.digests[IMAGE] ?? null, ...given });

/** Runs the periodic work of the driver until the end of the test. */
function watching(t: Test, driver: MacDriver) {
  const calls = { macs: 0, images: 0, inventory: 0 };
  const watch = driver.watch({
    macs: () => void calls.macs++,
    images: () => void calls.images++,
    inventory: () => void calls.inventory++,
  });
  t.teardown(() => watch.close());
  return calls;
}

t.test('a leaked slot or a locked keychain blocks the host until a start succeeds again', async (t) => {
  const faults = {
    vm_limit_leaked: { fault: 'leaked-slots', value: '2' },
    keychain_locked: { fault: 'keychain-locked', value: '' },
  } as const;
  for (const [code, { fault, value }] of casesOf(faults, ['vm_limit_leaked'])) {
    await t.test(code, async (t) => {
      const host = await openTartHost(t, { faults: { [fault]: value } });
      const rig = tartRig(host);
      const driver = rig.open();
      watching(t, driver);
      await t.rejects(bring(driver, macOn(host)), { name: 'VmToolError' });
      t.match((await driver.inventory()).blocked, { code });
      await driver.remove('s1');
      await untilHost(
        () => host.calls().filter(([verb]) => verb === 'run').length > 2,
        'tries again with a spare',
      );
      t.match((await driver.inventory()).blocked, { code });
      host.mend(fault);
      await untilHost(async () => (await driver.inventory()).blocked === null, 'lifted by itself');
      await untilHost(
        async () => (await names(rig)).length === 0,
        'and no spare is kept, as none is configured',
      );
    });
  }
});

t.test('a tool that hangs or is missing blocks the host, and no call waits for it', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host, { limits: { commandMs: 1_500, answerMs: 1_000 } });
  const driver = rig.open();
  await bring(driver, macOn(host));
  const held = await driver.listMacs();
  host.fault('list-hangs', '5');
  watching(t, driver);
  t.same(await driver.listMacs(), held, 'as it was');
  t.match(
    await rig.open().listMacs(),
    [{ record: {} }],
    'an agent that has just started assumes that it runs',
  );
  await untilHost(async () => (await driver.inventory()).blocked !== null, 'blocked');
  t.match((await driver.inventory()).blocked, { code: 'vm_tool_unresponsive' });
  host.mend('list-hangs');
  await untilHost(async () => (await driver.inventory()).blocked === null, 'lifted by itself');

  const gone = tartRig({ ...host, path: '/nowhere/tart' }).open();
  await t.rejects(
    gone.create({ slot_id: 's2', image: IMAGE }, () => {}),
    { code: 'missing' },
  );
  t.match((await gone.inventory()).blocked, { code: 'vm_tool_missing', message: /nowhere/ });
});

t.test('on a full disk no Mac is created, spares are deleted, and the host is blocked', async (t) => {
  const host = await openTartHost(t, { images: { [IMAGE]: { diskGb: 100, usedGb: 30 } } });
  const rig = tartRig(host, { warm_spares: 1, limits: { growthBytes: 40e9, reserveBytes: 10e9 } });
  let free = 131e9;
  const driver = rig.open({ freeBytes: async () => free });
  watching(t, driver);
  await bring(driver, macOn(host));
  await untilHost(() => vmsOf(host).length === 2, 'a spare');
  free = 51e9;
  await t.rejects(bring(driver, macOn(host, { slot_id: 's2', disk_gb: 120 })), {
    code: 'disk_full',
    message: /39\.0 GB/,
  });
  t.equal((await names(rig)).length, 1, 'the spare was given up');
  t.match((await driver.inventory()).blocked, { code: 'disk_full' });
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.match((await driver.inventory()).blocked, { code: 'disk_full' }, 'still');
  free = 300e9;
  await untilHost(async () => (await driver.inventory()).blocked === null, 'lifted by itself');
});
