// Builds in virtual machines by their own processes, as the daemon starts, follows, adopts and ends them.
// Runs in: soak
import t, { type Test } from 'tap';
import { runInGuest } from '../../../host-agent/guest/run.js';
import { until } from '../../harness/until.js';
import { openTartHost } from '../../harness/vm/tart-host.js';
import { IMAGE, tartRig } from '../driver/tart-rig.js';
import { openDaemon, openHouse } from '../runner/house.js';
import { newSpec, SLOT } from '../runner/rig.js';

async function openTartHouse(t: Test) {
  const host = await openTartHost(t, { images: { [IMAGE]: {} } });
  const rig = tartRig(host, { guest_limits: { retryBaseMs: 5, retryMaxMs: 100 } });
  const house = await openHouse(t, rig.dataDir, rig.open(), IMAGE);
  const [vm = ''] = await host.running();
  const inGuest = async (script: string) => {
    const access = await house.driver.guest(SLOT);
    if (access === null) throw new Error('no guest');
    const { stdout } = await runInGuest(access.transport, ['/bin/sh', '-c', script], { timeoutMs: 20_000 });
    return stdout.toString();
  };
  return { host, house, vm, inGuest };
}

t.test('a build goes on in its guest while no daemon runs, and the next daemon adopts it', async (t) => {
  const { house, inGuest } = await openTartHouse(t);
  const first = openDaemon(t, house, { warmProcesses: 1 });
  const spec = newSpec('echo up; until [ -e "$HOME/go" ]; do sleep 0.05; done; echo "$TOKEN" | wc -c; exit 4');
  await first.start(spec, [{ name: 'TOKEN', value: 'a-secret-of-24-characters' }]);
  await until(async () => (await first.log(spec)).includes('up\n'), 'output of the script');
  await first.close();

  const next = openDaemon(t, house);
  await next.adopt();
  await inGuest('touch /Users/admin/go');
  t.match(await next.end(spec), { outcome: 'exited', exit_code: 4, warnings: [] });
  t.match(await next.log(spec), /\nup\n +26\n|\nup\n26\n/);
  t.equal(await inGuest('ls /Users/Shared/cidermill/run'), '', 'script and artifacts are deleted');
  await next.forget(spec);
});

t.test('a build whose process is gone is ended in its guest', async (t) => {
  const { house, inGuest } = await openTartHouse(t);
  const daemon = openDaemon(t, house);
  const spec = newSpec('echo up; (env -i /bin/sleep 7301 &); sleep 7302');
  await daemon.start(spec, []);
  await until(async () => (await daemon.log(spec)).includes('up\n'), 'output of the script');
  t.match(await inGuest('ps -ax -o command='), /sleep 7302/);
  process.kill(JSON.parse(daemon.state(spec)).pid, 'SIGKILL');
  t.match(await daemon.end(spec), {
    outcome: 'failed',
    reason_code: 'internal_error',
    fault: 'platform',
    warnings: [],
  });
  t.notMatch(await inGuest('ps -ax -o command='), /sleep 730/);
  t.match(await daemon.log(spec), /\nup\n\[cidermill\] The process that ran the build/);
});

t.test("the service's lines in the log of a build are known when its process and its daemon are gone", async (t) => {
  const { house } = await openTartHouse(t);
  const daemon = openDaemon(t, house);
  const spec = newSpec('echo "[cidermill] up"; sleep 7304');
  await daemon.start(spec, []);
  await until(async () => (await daemon.log(spec)).includes('] up\n'), 'output of the script');
  const before = await daemon.sources(spec);
  await daemon.close();
  process.kill(JSON.parse(daemon.state(spec)).pid, 'SIGKILL');
  for (const n of [1, 2]) {
    const next = openDaemon(t, house);
    await next.adopt();
    t.match(
      await next.sources(spec),
      [...before, { text: /^\[cidermill\] The process that ran the build/, isService: true }],
      `daemon ${n}`,
    );
    await next.close();
  }
  t.ok(before.some(({ isService }) => isService));
  t.match(before.at(-1), { text: '[cidermill (script)] up\n', isService: false });
});

t.test('a lost build keeps its log when its virtual machine does not run, or does not answer', async (t) => {
  const { host, house, vm, inGuest } = await openTartHouse(t);
  const daemon = openDaemon(t, house);
  for (const [name, breakIt, warnings] of [
    ['does not answer', () => host.fault('exec-refuses'), [/^Processes of this build may still run on its Mac: /]],
    ['does not run', () => host.kill(vm), []],
  ] as const) {
    const spec = newSpec('echo up; sleep 7303');
    await daemon.start(spec, []);
    await until(async () => (await daemon.log(spec)).includes('up\n'), 'output of the script');
    await breakIt();
    process.kill(JSON.parse(daemon.state(spec)).pid, 'SIGKILL');
    const result = await daemon.end(spec);
    t.match(result, { outcome: 'failed', reason_code: 'internal_error', log: { possibly_truncated: true } }, name);
    t.match(result.warnings, warnings, name);
    t.equal(result.warnings.length, warnings.length);
    t.notOk(result.log.lost);
    t.match(await daemon.log(spec), /\nup\n/);
    host.mend('exec-refuses');
    if (name === 'does not run') continue;
    t.match(await inGuest('ps -ax -o command='), /sleep 7303/);
    const next = newSpec('ps -ax -o command= | grep "sleep 730[3]" || echo nothing of an earlier build');
    await daemon.start(next, []);
    t.match(await daemon.end(next), { exit_code: 0 });
    t.match(await daemon.log(next), /\nnothing of an earlier build\n/);
  }
});
