// A Mac for a new rental, and its reset to a new virtual machine, with and without a warm spare: through the tart driver and
// the stand-in of tart, whose clones take one second and boots five (a real Mac: seconds, and 15 to 30). Linux and root only.
import type { Test } from 'tap';
import { createMacChanges } from '../host-agent/daemon/macs/change.js';
import { createVmStore } from '../host-agent/driver/vm/vm-store.js';
import { desiredMac } from '../test/harness/desired-mac.js';
import { openTartHost } from '../test/harness/vm/tart-host.js';
import { IMAGE, tartRig, untilHost } from '../test/host-agent/driver/tart-rig.js';
import { type Figure, median, print, ratio } from './report.js';

const rounds = 3;
const faults = { 'clone-ms': '1000', 'boot-ms': '5000' };

const ends: (() => unknown)[] = [];
const scope = { teardown: (end: () => unknown) => void ends.unshift(end) } as unknown as Test;

async function measure(warm_spares: number): Promise<{ rental: number; reset: number }> {
  const host = await openTartHost(scope, { faults });
  const rig = tartRig(host, { warm_spares });
  const driver = rig.open();
  const watch = driver.watch({ macs() {}, images() {}, inventory() {} });
  ends.unshift(watch.close);
  const store = createVmStore(rig.dataDir);
  const changes = createMacChanges(driver);
  const want = desiredMac({ slot_id: 's1', image: IMAGE, image_digest: host.digests[IMAGE] ?? null });

  /** Returns the seconds until the Mac is ready. Waits for the spares first. */
  const seconds = async (slot_id: string, generation: number) => {
    await untilHost(() => readySpares() >= warm_spares, 'the spares are ready');
    const began = performance.now();
    await changes.bring({ ...want, slot_id, generation }, () => {});
    return (performance.now() - began) / 1000;
  };
  const readySpares = () =>
    store.names().filter((name) => {
      const vm = store.read(name);
      return vm?.purpose === 'spare' && vm.prepared && !vm.booting;
    }).length;

  await changes.bring(want, () => {});
  const rentals: number[] = [];
  const resets: number[] = [];
  for (let round = 0; round < rounds; round++) {
    resets.push(await seconds('s1', round + 2));
    rentals.push(await seconds('s2', round + 2));
    await changes.remove('s2');
  }
  return { rental: median(rentals), reset: median(resets) };
}

const cold = await measure(0);
const warm = await measure(1);
for (const end of ends) await end();
const figures: Figure[] = [
  { name: 'new rental, warm spare', value: warm.rental, unit: 's', ratio: ratio(warm.rental, cold.rental) },
  { name: 'new rental, no spare', value: cold.rental, unit: 's', ratio: 1 },
  {
    name: 'reset to a new VM, warm spare',
    value: warm.reset,
    unit: 's',
    ratio: ratio(warm.reset, cold.reset),
  },
  { name: 'reset to a new VM, no spare', value: cold.reset, unit: 's', ratio: 1 },
];
print('a new Mac as a virtual machine', figures);
