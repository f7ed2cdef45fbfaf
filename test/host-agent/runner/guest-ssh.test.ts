// Builds in a virtual machine that is reached by ssh.
// Runs in: soak
import { writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import type { AttemptRef } from '../../../host-agent/contract/attempt-folder.js';
import type { GuestAccess } from '../../../host-agent/driver/guest-access.js';
import { GUEST_RUNS } from '../../../host-agent/driver/guest-builds.js';
import { setUpSsh } from '../../../host-agent/guest/ssh-setup.js';
import { sshTransport } from '../../../host-agent/guest/ssh-transport.js';
import { defaultGuestLimits } from '../../../host-agent/limits.js';
import { createGuestMac } from '../../../host-agent/runner/guest-mac.js';
import { systemClock } from '../../../shared/clock.js';
import { sha256 } from '../../harness/sha256.js';
import { type LumeGuest, openLumeGuest } from '../guest/ssh-guest.js';
import { openRuns, SLOT, tempFolder } from './rig.js';

const limits = { ...defaultGuestLimits, retryBaseMs: 5, retryMaxMs: 50, lostMs: 20_000, goneMs: 20_000 };

async function openRig(t: Test): Promise<LumeGuest & Pick<ReturnType<typeof openRuns>, 'run'>> {
  const far = await openLumeGuest(t);
  await setUpSsh(far.guest, 'lume', { timeoutMs: 30_000 });
  const dataDir = tempFolder(t);
  const access: GuestAccess = {
    transport: sshTransport(far.guest),
    user: 'lume',
    home: '/Users/lume',
    vm: 'vm1',
    running: far.running,
  };
  const driver = { guest: async () => access, freeBytes: async () => Number.POSITIVE_INFINITY };
  const macFor = (ref: AttemptRef) =>
    createGuestMac({ driver, dataDir, slotId: SLOT, ref, limits, diskReserveBytes: 0, clock: systemClock });
  return { ...far, run: openRuns(dataDir, { macFor, runs: GUEST_RUNS }).run };
}

t.test('a build continues while its connections are reset, and no log is lost or doubled', async (t) => {
  const rig = await openRig(t);
  const wanted = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join('');
  // The build waits at these lines until its connection was broken.
  const at = [2000, 9000, 15_000];
  const script = `
    for ((n = 0; n < 20000; n++)); do
      echo "line $n"
      case $n in ${at.join('|')}) until [ -e "$HOME/broken-$n" ]; do sleep 0.05; done ;; esac
      ((n % 1000)) || sleep 0.05
    done`;
  const drops: Promise<void>[] = [];
  const { result, log } = await rig.run(script, {
    meanwhile({ log }) {
      const [n] = at;
      if (n === undefined || !log().includes(`line ${n}\n`)) return;
      at.shift();
      drops.push(rig.drop().then(() => writeFileSync(rig.file(`Users/lume/broken-${n}`), '')));
    },
  });
  t.match(result, { outcome: 'exited', exit_code: 0 });
  await Promise.all(drops);
  t.equal(sha256(log), sha256(wanted));
  t.equal(drops.length, 3);
});

t.test('a build whose virtual machine stops is lost, with fault platform', async (t) => {
  const rig = await openRig(t);
  let dies = true;
  const { result } = await rig.run('echo up; sleep 1000', {
    async meanwhile({ log }) {
      if (!dies || !log().includes('up\n')) return;
      dies = false;
      await rig.host.kill();
    },
  });
  t.match(result, { outcome: 'failed', step: 'script', reason_code: 'mac_lost', fault: 'platform' });
});
