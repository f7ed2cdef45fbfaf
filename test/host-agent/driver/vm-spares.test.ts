// Spares, leftovers, the limit of two and blocked hosts.
import t, { type Test } from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import type { MacDriver } from '../../../host-agent/driver/driver.js';
import { createVmStore } from '../../../host-agent/driver/vm/vm-store.js';
import type { DesiredMac } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { until } from '../../harness/until.js';
import { openTartHost, type TartHost } from '../../harness/vm/tart-host.js';
import { IMAGE, type TartRig, tartRig } from './tart-rig.js';

const bring = (driver: MacDriver, want: DesiredMac) => createMacChanges(driver).bring(want, () => {});
const names = async (rig: TartRig) => (await rig.tool.list()).map((vm) => vm.name).sort();
const macOn = (host: TartHost, given: Partial<DesiredMac> = {}) =>
  desiredMac({ slot_id: 's1', image: IMAGE, image_digest: host.digests[IMAGE] ?? null, ...given });

/** Lets the driver do its own work until the end of the test. */
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

t.test('the next Mac takes a spare, which was cloned and booted ahead', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(t, host, { warm_spares: 1 });
  const driver = rig.open();
  watching(t, driver);
  const want = macOn(host);
  await bring(driver, want);
  const [first] = await host.running();
  await until(async () => (await host.running()).length === 2, 'a spare runs');
  const [spare] = (await host.running()).filter((name) => name !== first);
  const store = createVmStore(rig.dataDir);
  await until(() => store.read(spare ?? '')?.prepared === true, 'the spare is ready');
  t.equal(store.read(spare ?? '')?.purpose, 'spare');

  const calls = host.calls().length;
  await bring(driver, { ...want, generation: 2 });
  t.equal((await driver.guest('s1'))?.vm, spare);
  const verbs = host
    .calls()
    .slice(calls)
    .map(([verb]) => verb);
  t.notOk(verbs.slice(0, verbs.indexOf('delete') + 5).includes('clone'), 'nothing was cloned for it');
  t.notOk((await names(rig)).includes(first ?? ''), 'the old one is gone');
  await until(async () => (await host.running()).length === 2, 'another spare runs');

  await bring(driver, { ...want, slot_id: 's2' });
  await until(async () => (await names(rig)).length === 3, 'two Macs and a spare that is only cloned');
  t.equal((await host.running()).length, 2);
});
