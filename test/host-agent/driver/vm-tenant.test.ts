// What a tenant can do to a Mac that is a virtual machine, and what follows for it, its host and other tenants.
// Runs in: soak
import { rmSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import type { VmTool } from '../../../host-agent/driver/vm/tool.js';
import { systemClock } from '../../../shared/clock.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { openTartHost } from '../../harness/vm/tart-host.js';
import { IMAGE, tartRig, untilHost } from './tart-rig.js';

t.test('a Mac whose guest never comes up again is recreated, and does not block its host', async (t) => {
  const host = await openTartHost(t);
  // Reached by ssh: a guest that asks for no address looks like a host that has none left.
  const rig = tartRig(host, {
    guest: 'ssh',
    limits: { bootPollMs: 20, bootAttempts: 2, stopS: 1 },
  });
  let broken = '';
  let waitedMs = 0;
  const tool: VmTool = {
    ...rig.tool,
    async address(name) {
      if (name !== broken) return rig.tool.address(name);
      waitedMs += 600_000;
      return null;
    },
  };
  const driver = rig.open({
    tool,
    clock: { ...systemClock, monotonic: () => systemClock.monotonic() + waitedMs },
  });
  const changes = createMacChanges(driver);
  const want = desiredMac({ slot_id: 's1', image: IMAGE, image_digest: host.digests[IMAGE] ?? null });
  await changes.bring(want, () => {});
  [broken = ''] = await host.running();

  await host.kill(broken);
  await untilHost(async () => (await driver.listMacs())[0]?.stopped === true, 'switched off');
  await t.rejects(
    changes.bring(want, () => {}),
    { code: 'failed', message: /no address/ },
  );
  t.same(await host.running(), [], 'switched off again, so that the next attempt boots it');
  t.match(await driver.inventory(), { blocked: null });
  t.match(await driver.listMacs(), [{ record: {}, stopped: true }], 'it is still the Mac');

  await changes.bring(want, () => {});
  t.match(await driver.listMacs(), [{ record: { rental_id: want.rental_id }, stopped: false }]);
  t.not((await host.running())[0], broken, 'another virtual machine');
  t.match(await driver.inventory(), { blocked: null });
});

t.test('nothing is learned about an image from a guest that a tenant had', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host);
  const want = desiredMac({ slot_id: 's1', image: IMAGE, image_digest: host.digests[IMAGE] ?? null });
  const driver = rig.open();
  await createMacChanges(driver).bring(want, () => {});
  const [vm = ''] = await host.running();
  rmSync(host.guestFile(vm, 'Applications'), { recursive: true });
  await host.kill(vm);
  await untilHost(async () => (await driver.listMacs())[0]?.stopped === true, 'switched off');
  for (const name of ['images.json', 'baselines']) rmSync(path.join(rig.dataDir, name), { recursive: true });
  const again = rig.open();
  await createMacChanges(again).bring(want, () => {});
  t.match(await again.listMacs(), [{ record: {}, stopped: false }]);
  await again.wantImages([{ image: IMAGE, digest: host.digests[IMAGE] ?? null, pull: false }]);
  t.match(await again.imageFacts(), [{ state: 'ready', offers: null }]);
});
