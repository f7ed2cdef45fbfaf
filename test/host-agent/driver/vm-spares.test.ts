// Spares, leftovers and the limit of two.
// Runs in: soak
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { type VmTool, VmToolError } from '../../../host-agent/driver/vm/tool.js';
import { createVmStore } from '../../../host-agent/driver/vm/vm-store.js';
import { defaultVmLimits } from '../../../host-agent/limits.js';
import { type Clock, createAdvancingClock } from '../../../shared/clock.js';
import { openTartHost } from '../../harness/vm/tart-host.js';
import { bringMac, IMAGE, macOn, runningOf, tartRig, untilHost, vmNames, vmsOf, watching } from './tart-rig.js';

t.test('the next Mac takes a spare, which was cloned and booted ahead', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host, { warm_spares: 1 });
  const driver = rig.open();
  watching(t, driver);
  const want = macOn(host);
  await bringMac(driver, want);
  const [first] = await host.running();
  await untilHost(() => runningOf(host).length === 2, 'a spare runs');
  const [spare] = (await host.running()).filter((name) => name !== first);
  const store = createVmStore(rig.dataDir);
  await untilHost(() => store.read(spare ?? '')?.prepared === true, 'the spare is ready');
  t.equal(store.read(spare ?? '')?.purpose, 'spare');

  const calls = host.calls().length;
  await bringMac(driver, { ...want, generation: 2 });
  t.equal((await driver.guest('s1'))?.vm, spare);
  const verbs = host
    .calls()
    .slice(calls)
    .map(([verb]) => verb);
  t.notOk(verbs.slice(0, verbs.indexOf('delete') + 5).includes('clone'), 'nothing was cloned for it');
  t.notOk((await vmNames(rig)).includes(first ?? ''), 'the old one is gone');
  await untilHost(() => runningOf(host).length === 2, 'another spare runs');

  await bringMac(driver, { ...want, slot_id: 's2' });
  await untilHost(() => vmsOf(host).length === 3, 'two Macs and a spare that is only cloned');
  t.equal((await host.running()).length, 2);
});

t.test('leftovers with names of this agent are removed; other virtual machines stay', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host);
  const driver = rig.open();
  await bringMac(driver, macOn(host));
  const [mac] = await vmNames(rig);
  await host.tart('clone', IMAGE, 'cidermill-0123456789');
  await host.boot('cidermill-0123456789');
  const others = ['cidermill-dev-0123456789', 'cidermill-b-golden', 'cidermillx', 'my-vm'];
  for (const name of [...others, 'cidermill-old']) await host.tart('clone', IMAGE, name);
  // Another agent has claimed the prefix.
  mkdirSync(path.join(host.home, '.cidermill-names'), { recursive: true });
  symlinkSync('/elsewhere', path.join(host.home, '.cidermill-names', 'cidermill-b-'));
  const store = createVmStore(rig.dataDir);
  store.write({ ...store.read(mac ?? '')!, name: 'cidermill-aaaaaaaaaa', purpose: 'making' });
  watching(t, rig.open());
  await untilHost(() => vmsOf(host).length === 1 + others.length, 'the leftovers are gone');
  t.same(await vmNames(rig), [mac, ...others].sort());
  await untilHost(() => store.read('cidermill-aaaaaaaaaa') === null, 'and the record without a virtual machine');
});

t.test('a leftover that cannot be deleted does not stop the others', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host);
  for (const name of ['cidermill-a', 'cidermill-b']) await host.tart('clone', IMAGE, name);
  const refused = new Set(['cidermill-a']);
  const remove: VmTool['delete'] = async (name) => {
    if (refused.has(name)) throw new VmToolError('failed', 'tart delete: busy');
    await rig.tool.delete(name);
  };
  watching(t, rig.open({ tool: { ...rig.tool, delete: remove } }));
  await untilHost(() => !vmsOf(host).includes('cidermill-b'), 'the other is gone');
  t.same(vmsOf(host), ['cidermill-a']);
  refused.clear();
  await untilHost(() => vmsOf(host).length === 0, 'and is tried again');
});

t.test('leftovers are gone within 90 s of the start, also when they cannot be deleted at first', async (t) => {
  const host = await openTartHost(t);
  const watchMs = defaultVmLimits.watchMs;
  const rig = tartRig(host, { limits: { watchMs } });
  for (const name of ['cidermill-old', 'cidermill-0123456789']) await host.tart('clone', IMAGE, name);
  await host.boot('cidermill-0123456789');
  let refusals = 8;
  const remove: VmTool['delete'] = async (name) => {
    if (refusals-- > 0) throw new VmToolError('failed', 'tart delete: busy');
    await rig.tool.delete(name);
  };
  const still = createAdvancingClock({ start: Date.parse('2026-01-01T00:00:00Z') });
  let looks = 0;
  const clock: Clock = {
    ...still,
    setTimeout(run, ms) {
      if (ms === watchMs) looks++;
      return still.setTimeout(run, ms);
    },
  };
  const started = clock.now();
  watching(t, rig.open({ tool: { ...rig.tool, delete: remove }, clock }));
  for (let seen = 0; vmsOf(host).length > 0 && clock.now() - started < 90_000; seen = looks) {
    await still.advance(watchMs);
    await untilHost(() => looks > seen, 'it has looked, and will again');
  }
  t.same(vmsOf(host), []);
  t.ok(clock.now() - started < 90_000, `${clock.now() - started} ms after the start`);
  t.ok(refusals < 0, 'it could not be deleted at first');
});

t.test('leftovers are removed beside a slow clone, and a spare that is being cloned is none', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host, { warm_spares: 1 });
  await host.tart('clone', IMAGE, 'cidermill-old');
  const opens: (() => void)[] = [];
  const clone: VmTool['clone'] = async (image, name) => {
    await new Promise<void>((open) => opens.push(open));
    await rig.tool.clone(image, name);
  };
  let listed = 0;
  const list: VmTool['list'] = () => {
    listed++;
    return rig.tool.list();
  };
  const driver = rig.open({ tool: { ...rig.tool, clone, list } });
  const bringing = bringMac(driver, macOn(host));
  await untilHost(() => opens.length === 1, 'the Mac is being cloned');
  watching(t, driver);
  await untilHost(() => vmsOf(host).length === 0, 'the leftover is gone before the clone ends');
  opens[0]?.();
  await bringing;
  await untilHost(() => opens.length === 2, 'a spare is being cloned');
  const store = createVmStore(rig.dataDir);
  const spare = store.names().find((name) => store.read(name)?.purpose === 'making');
  const looks = listed;
  await untilHost(() => listed > looks + 2, 'the host is looked at again');
  t.ok(store.names().includes(spare ?? ''), 'its record stays');
  opens[1]?.();
  await untilHost(() => vmsOf(host).includes(spare ?? ''), 'the spare is there');
});

t.test('a third virtual machine is never started: those of others count, and spares are deleted', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host, { warm_spares: 1 });
  await host.tart('clone', IMAGE, 'my-vm');
  await host.boot('my-vm');
  const driver = rig.open();
  const calls = watching(t, driver);
  await bringMac(driver, macOn(host));
  await untilHost(() => vmsOf(host).length === 3, 'a spare, which is only cloned');
  await t.rejects(bringMac(driver, macOn(host, { slot_id: 's2' })), {
    message: /2 virtual machines run .*my-vm/,
  });
  t.match((await driver.inventory()).blocked, { code: 'vm_limit_foreign', message: /my-vm/ });
  t.ok(calls.inventory > 0);
  t.equal((await host.running()).length, 2);
  await host.tart('stop', 'my-vm');
  await untilHost(async () => (await driver.inventory()).blocked === null, 'lifted by itself');
  await untilHost(() => runningOf(host).length === 2, 'a spare runs now');
  await bringMac(driver, macOn(host, { slot_id: 's2', cpu_cores: 8 }));
  t.equal((await host.running()).length, 2, 'another size: the spare made way');
});

t.test('virtual machines that an operator deletes or stops by hand', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host, { warm_spares: 1, limits: { watchMs: 60_000 } });
  const driver = rig.open();
  watching(t, driver);
  await bringMac(driver, macOn(host));
  const first = (await driver.guest('s1'))?.vm ?? '';
  const spareOf = () => runningOf(host).find((name) => name !== first);
  await untilHost(() => createVmStore(rig.dataDir).read(spareOf() ?? '')?.prepared === true, 'a spare');
  const spare = spareOf() ?? '';
  for (const name of [spare, first]) {
    await host.tart('stop', name);
    await host.tart('delete', name);
  }
  t.match(await driver.listMacs(), [{ slot_id: 's1', record: null }], 'its Mac is lost');
  await bringMac(driver, macOn(host));
  const second = (await driver.guest('s1'))?.vm;
  t.notOk([spare, first].includes(second ?? ''), 'a deleted spare does not become a Mac');
  await host.tart('stop', second ?? '');
  t.match(await driver.listMacs(), [{ slot_id: 's1', stopped: true }]);
  await driver.start('s1', () => {});
  t.equal((await driver.guest('s1'))?.vm, second);
});
