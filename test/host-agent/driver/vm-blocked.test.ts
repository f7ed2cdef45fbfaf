// Hosts that cannot create Macs report the reason and recover by themselves.
// Runs in: soak
import t from 'tap';
import { casesOf } from '../../harness/soak.js';
import { openTartHost } from '../../harness/vm/tart-host.js';
import { bringMac, IMAGE, macOn, tartRig, untilHost, vmNames, vmsOf, watching } from './tart-rig.js';

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
      await t.rejects(bringMac(driver, macOn(host)), { name: 'VmToolError' });
      t.match((await driver.inventory()).blocked, { code });
      await driver.remove('s1');
      await untilHost(() => host.calls().filter(([verb]) => verb === 'run').length > 2, 'tries again with a spare');
      t.match((await driver.inventory()).blocked, { code });
      host.mend(fault);
      await untilHost(async () => (await driver.inventory()).blocked === null, 'lifted by itself');
      await untilHost(async () => (await vmNames(rig)).length === 0, 'and no spare is kept, as none is configured');
    });
  }
});

t.test('a tool that hangs or is missing blocks the host, and no call waits for it', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host, { limits: { answerMs: 1_000 } });
  const driver = rig.open();
  await bringMac(driver, macOn(host));
  const held = await driver.listMacs();
  host.fault('list-hangs', '5');
  Object.assign(rig.spec.limits, { commandMs: 1_500 });
  watching(t, driver);
  t.same(await driver.listMacs(), held, 'as it was');
  t.match(await rig.open().listMacs(), [{ record: {} }], 'an agent that has just started assumes that it runs');
  await untilHost(async () => (await driver.inventory()).blocked !== null, 'blocked');
  t.match((await driver.inventory()).blocked, { code: 'vm_tool_unresponsive' });
  host.mend('list-hangs');
  Object.assign(rig.spec.limits, { commandMs: 60_000 });
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
  await bringMac(driver, macOn(host));
  await untilHost(() => vmsOf(host).length === 2, 'a spare');
  free = 51e9;
  await t.rejects(bringMac(driver, macOn(host, { slot_id: 's2', disk_gb: 120 })), {
    code: 'disk_full',
    message: /39\.0 GB/,
  });
  t.equal((await vmNames(rig)).length, 1, 'the spare was given up');
  t.match((await driver.inventory()).blocked, { code: 'disk_full' });
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.match((await driver.inventory()).blocked, { code: 'disk_full' }, 'still');
  free = 300e9;
  await untilHost(async () => (await driver.inventory()).blocked === null, 'lifted by itself');
});
