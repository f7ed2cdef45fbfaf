// Macs as virtual machines of tart, over its stand-in with real guests.
import t from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import { presentFact } from '../../../host-agent/daemon/macs/facts.js';
import { runInGuest } from '../../../host-agent/guest/run.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { openTartHost } from '../../harness/vm/tart-host.js';
import { IMAGE, tartRig } from './tart-rig.js';

const mac = desiredMac({ slot_id: 's1', image: IMAGE, cpu_cores: 6, memory_gb: 12, disk_gb: 90 });

t.test(
  'a Mac is created, found by the next agent, started after a reboot, and removed without a trace',
  async (t) => {
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
    host.kill(names[0] ?? '');
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
  },
);
