// Builds in a virtual machine whose connection breaks, or that stops.
// Runs in: soak
import t from 'tap';
import { sha256 } from '../../harness/sha256.js';
import { until } from '../../harness/until.js';
import { openGuestRig, VM } from './guest-rig.js';

/** On a busy machine, seconds pass between the end of the processes of a guest and its own. */
const limits = { retryBaseMs: 5, retryMaxMs: 50, lostMs: 20_000, goneMs: 20_000 };

t.test('a build continues while connections to its guest break, and no log is lost or doubled', async (t) => {
  const rig = await openGuestRig(t, { limits });
  rig.host.fault('exec-drops-after-bytes', '20000', 6);
  const lines = Array.from({ length: 30_000 }, (_, n) => `line ${n}\n`).join('');
  const { result, log } = await rig.run(
    'echo "$$" >"$HOME/pid"; for ((n = 0; n < 30000; n++)); do echo "line $n"; done; cat "$HOME/pid" | wc -l',
  );
  t.match(result, { outcome: 'exited', exit_code: 0 });
  t.equal(sha256(log.replace(/ +1\n$|1\n$/, '')), sha256(lines));
  t.equal(result.log.possibly_truncated, false);
});

t.test('a build whose virtual machine stops is lost, with fault platform', async (t) => {
  const rig = await openGuestRig(t, { limits });
  let dies = true;
  const { result, log } = await rig.run('echo up; sleep 1000', {
    meanwhile({ log }) {
      if (!dies || !log().includes('up\n')) return;
      dies = false;
      void rig.host.kill(VM);
    },
  });
  t.match(result, {
    outcome: 'failed',
    step: 'script',
    reason_code: 'mac_lost',
    fault: 'platform',
    exit_code: null,
    summary: /^The virtual machine of this build was lost: .*[^.]\. The build can be run again unchanged\.$/,
  });
  t.match(log, /^up\n/);
  const next = await rig.run('echo never');
  t.match(next.result, { step: 'prepare', reason_code: 'mac_lost', fault: 'platform' }, 'and so is the next one');
  await rig.host.boot(VM);
  await until(async () => (await rig.run('echo back')).result.exit_code === 0, 'builds run again');
});

t.test('a build that restarts its guest is lost', async (t) => {
  const rig = await openGuestRig(t, { limits });
  const { result } = await rig.run('echo up; sudo /sbin/reboot; sleep 1000');
  t.match(result, { outcome: 'failed', reason_code: 'mac_lost', fault: 'platform' });
});

t.test('a build that kills its supervisor ends as killed, and its log as possibly truncated', async (t) => {
  const rig = await openGuestRig(t, { limits: { ...limits, goneMs: 800 } });
  const { result, log } = await rig.run('echo up; (sleep 1001 &); sleep 0.3; kill -KILL $PPID; sleep 1000');
  t.match(result, { outcome: 'exited', exit_code: 137, reason_code: 'killed', fault: 'unknown' });
  t.equal(result.log.possibly_truncated, true);
  t.match(log, /^up\n/);
  t.same(result.warnings, []);
});
