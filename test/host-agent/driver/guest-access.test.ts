// How Macs are reached: by tart itself or by ssh, determined once per image. Nobody else can log in.
// Runs in: soak
import path from 'node:path';
import t, { type Test } from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import type { MacDriver } from '../../../host-agent/driver/driver.js';
import { runInGuest } from '../../../host-agent/guest/run.js';
import { setUpSsh } from '../../../host-agent/guest/ssh-setup.js';
import { type Clock, systemClock } from '../../../shared/clock.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { openLumeHost } from '../../harness/vm/lume-host.js';
import { openTartHost } from '../../harness/vm/tart-host.js';
import { tempFolder } from '../runner/rig.js';
import { lumeRig } from './lume-rig.js';
import { IMAGE, tartRig } from './tart-rig.js';

const mac = desiredMac({ slot_id: 's1', image: IMAGE, image_digest: null });
/** Pauses between attempts are short. */
const clock: Clock = {
  ...systemClock,
  setTimeout: (fn, ms) => systemClock.setTimeout(fn, ms === 1_000 ? 20 : ms),
};
const WAIT = { timeoutMs: 20_000, clock };
const create = (driver: MacDriver) => createMacChanges(driver).bring(mac, () => {});

async function guestOf(driver: MacDriver) {
  const access = await driver.guest('s1');
  if (access === null) throw new Error('this driver has no guests');
  return access;
}

/** Login attempts from another tenant's Mac with the passwords of the image. */
async function logInAs(t: Test, user: string, password: string, address: string | null): Promise<void> {
  const folder = path.join(tempFolder(t), 'ssh');
  await setUpSsh({ user, folder, connectS: 5, aliveS: 1, address: async () => address }, password, WAIT);
}

t.test('the password of the image does not log in to a Mac, even if ssh is not used', async (t) => {
  // Not the configured password, which tart does not need.
  const password = 'lume';
  const host = await openTartHost(t, { images: { [IMAGE]: { password } } });
  const rig = tartRig(host);
  await create(rig.open());
  const { transport, vm } = await guestOf(rig.open());
  t.equal(transport.kind, 'exec');
  await t.rejects(logInAs(t, 'admin', password, await rig.tool.address(vm)), { code: 'wrong_password' });
  const known = await runInGuest(transport, ['dscl', '.', '-authonly', 'admin', password], WAIT);
  t.not(known.status, 0, 'nor at the screen');
});

t.test('an image without the guest agent is reached by ssh, and this is recorded', async (t) => {
  const host = await openTartHost(t, {
    images: { [IMAGE]: { guestAgent: false } },
    faults: { 'connect-seconds': '0.05' },
  });
  const rig = tartRig(host, { limits: { guestAgentMs: 100 } });
  await create(rig.open());
  const driver = rig.open();
  const { transport, vm } = await guestOf(driver);
  t.equal(transport.kind, 'ssh');
  t.equal((await runInGuest(transport, ['whoami'], WAIT)).stdout.toString(), 'admin\n');
  const before = host.calls().filter(([verb]) => verb === 'exec').length;
  await host.kill(vm);
  await create(driver);
  t.equal((await runInGuest((await guestOf(driver)).transport, ['whoami'], WAIT)).status, 0);
  t.equal(host.calls().filter(([verb]) => verb === 'exec').length, before, 'exec is not tried again');
});

t.test('a virtual machine without an address fails with the reason', async (t) => {
  const host = await openLumeHost(t, { faults: { 'no-address': '' } });
  const driver = lumeRig(host, { limits: { bootMs: 300 } }).open();
  await t.rejects(create(driver), { code: 'no_address', message: /DHCP/ });
});
