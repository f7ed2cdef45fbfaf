// Changes of Macs, the inventory and the disk, as the host reports them.
import t from 'tap';
import { parseConfig } from '../../../host-agent/daemon/config.js';
import { NotInstalledError } from '../../../host-agent/driver/driver.js';
import type { DesiredMac, MacFact } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { gate } from '../../harness/gate.js';
import { until } from '../../harness/until.js';
import { world } from './link-world.js';
import { quickLimits } from './test-agent.js';

t.test('Macs are created, reset and removed, but never under a running build', async (t) => {
  const { service, hostId, agent, assign } = await world(t);
  const { builds, driver } = await agent({ slots: 2 });
  const mac = (slot: number, generation = 1) => ({
    ...desiredMac(),
    slot_id: `slot_${slot}`,
    rental_id: `rt_${slot}`,
    generation,
  });
  const want = (macs: DesiredMac[]) => {
    service.builds.macs = macs;
    service.wake.wake('host', hostId);
  };
  const reported = new Map<string, string>();
  const { macFacts } = service.builds;
  service.builds.macFacts = async (host, facts) => {
    for (const fact of facts) reported.set(fact.slot_id, `${fact.state} ${fact.error ?? ''}`.trim());
    return macFacts(host, facts);
  };
  want([mac(1), mac(2), mac(3)]);
  await until(() => reported.get('slot_1') === 'ready' && reported.get('slot_2') === 'ready', 'two are ready');
  t.match(reported.get('slot_3'), /failed.*configured for 2 Macs/);

  assign('rb_1');
  await until(() => builds.has('rb_1'), 'a build runs in slot_1');
  want([mac(1, 2)]);
  await until(() => reported.get('slot_2') === 'empty', 'slot_2 has been emptied');
  t.equal(driver.slots.get('slot_1')?.generation, 1, 'the running build keeps its Mac');
  builds.build('rb_1').finish();
  await until(() => driver.slots.get('slot_1')?.generation === 2, 'made anew');

  // Until it has been reported: a temporary failure may be over before it is.
  let failing = true;
  driver.before = () => {
    if (failing) throw new Error('image not found');
  };
  want([mac(1, 2), mac(2, 5)]);
  await until(() => reported.get('slot_2') === 'failed image not found', 'the failure is reported');
  failing = false;
  await until(() => reported.get('slot_2') === 'ready', 'and the retry succeeds');
  await until(() => driver.slots.get('slot_2')?.generation === 5, 'made');
});

t.test('progress and refusal of a change are reported, across outages', async (t) => {
  const { service, proxy, hostId, agent } = await world(t);
  const { driver } = await agent();
  const mac = desiredMac({ xcode: '26.0' });
  const want = (given: Partial<DesiredMac>) => {
    service.builds.macs = [{ ...mac, ...given }];
    service.wake.wake('host', hostId);
  };
  const reported: MacFact[] = [];
  const { macFacts } = service.builds;
  service.builds.macFacts = async (host, facts) => {
    reported.push(...facts);
    return macFacts(host, facts);
  };
  const last = () => reported.at(-1);
  want({});
  await until(() => last()?.state === 'ready', 'ready');

  const { open, opened } = gate();
  driver.before = (call) => (call === 'emptyWork slot_1' ? opened : undefined);
  want({ revision: 2, empty_work: true });
  await until(() => last()?.progress?.step === 'empty_work', 'in progress');
  t.match(last(), { state: 'preparing', revision: 2, progress: { percent: 0 } });
  // The network is down until it is done.
  proxy.silence();
  proxy.cut();
  await until(() => service.link.connectedHosts().length === 0, 'cut');
  open();
  await until(() => driver.slots.get('slot_1')?.revision === 2, 'done');
  proxy.restore();
  proxy.cut();
  await until(() => last()?.state === 'ready' && last()?.revision === 2, 'done and reported');

  driver.before = () => {
    throw new NotInstalledError('Xcode 27.0 is not here');
  };
  want({ revision: 3, xcode: '27.0' });
  await until(() => last()?.refused?.revision === 3, 'refused');
  t.match(last(), {
    state: 'ready',
    revision: 2,
    xcode: '26.0',
    refused: { code: 'not_installed', message: 'Xcode 27.0 is not here' },
  });
});

t.test('the inventory is sent again when it has changed', async (t) => {
  const { service, hostId, agent } = await world(t);
  const { driver, daemon } = await agent();
  await until(() => daemon.linkState() === 'up', 'up');
  const xcode = { version: '26.5', build: '17F42', developer_dir: '/Applications/Xcode_26.5.app' };
  driver.inventoryNow = { ...driver.inventoryNow, xcodes: [xcode] };
  await until(async () => (await service.hosts.get(hostId)).inventory?.xcodes.length === 1, 'reported');
});

t.test('on a low disk, work folders are deleted first, then the host takes no builds', async (t) => {
  const { service, hostId, agent } = await world(t);
  const { driver, daemon } = await agent();
  await until(() => daemon.linkState() === 'up', 'up');
  service.builds.macs = [desiredMac()];
  service.wake.wake('host', hostId);
  await until(() => driver.slots.get('slot_1')?.revision === 1, 'made');
  const GiB = 1024 ** 3;
  const diskIs = (disk_free_bytes: number) => {
    driver.inventoryNow = { ...driver.inventoryNow, disk_free_bytes };
  };
  const host = () => service.hosts.get(hostId);
  driver.work.set('older', { usedAt: 1, bytes: GiB });
  driver.work.set('newer', { usedAt: 2, bytes: GiB });
  diskIs(1.5 * GiB);
  await until(async () => (await host()).inventory?.disk_free_bytes === 2.5 * GiB, 'one was enough');
  t.same([...driver.work.keys()], ['newer'], 'the one that was used longest ago has gone');
  t.equal((await host()).diskLow, false);

  diskIs(0.5 * GiB);
  await until(async () => (await host()).diskLow, 'low disk is reported');
  t.equal(driver.work.size, 0);
  t.match((await host()).inventory, { disk_free_bytes: 1.5 * GiB, disk_reserve_bytes: 2 * GiB });
  diskIs(3 * GiB);
  await until(async () => !(await host()).diskLow, 'and that there is room again');
  const link = quickLimits;
  const build = { diskReserveBytes: 4 * GiB };
  daemon.reconfigure(parseConfig({ control_plane: 'http://127.0.0.1', limits: { link, build } }));
  await until(async () => (await host()).diskLow, 'and that more is to be kept free');
});
