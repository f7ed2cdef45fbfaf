// Agents of virtual machines are killed with SIGKILL at random moments, again and again. Their last one finishes the work.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { desiredMac } from '../harness/desired-mac.js';
import { openTartHost } from '../harness/vm/tart-host.js';
import { IMAGE, tartRig, untilHost } from '../host-agent/driver/tart-rig.js';

const ROUNDS = 30;
const agentFile = fileURLToPath(new URL('./vm-agent.js', import.meta.url));

t.test('leftovers of killed agents are completed or removed', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host, { warm_spares: 1 });
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };

  /** Runs an agent until it is done, or for so long after it has begun. */
  const agent = async (want: object | null, killAfterMs: number | null): Promise<boolean> => {
    const args = [agentFile, ...[rig.spec, 'admin', want].map((value) => JSON.stringify(value))];
    const child = spawn(process.execPath, args, {
      env: { ...host.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let done = false;
    createInterface(child.stdout).on('line', (line) => {
      if (line === 'begun' && killAfterMs !== null) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
      if (line === 'done') done = true;
    });
    await once(child, 'close');
    return done;
  };

  let interrupted = 0;
  let generation = 1;
  for (let round = 0; round < ROUNDS; round++) {
    const kind = random(4);
    if (kind === 1) generation++;
    const want =
      kind === 0
        ? null
        : desiredMac({ slot_id: 's1', generation, image: IMAGE, image_digest: host.digests[IMAGE] ?? null });
    if (kind === 2) for (const name of await host.running()) await host.kill(name);
    if (!(await agent(want, random(800)))) interrupted++;
    for (const mac of await rig.open().listMacs()) {
      if (mac.record === null || mac.stopped) continue;
      const { code } = await host.tart('exec', (await rig.open().guest('s1'))?.vm ?? '', 'true');
      t.equal(code, 0, `round ${round}: a complete Mac works (seed ${seed})`);
    }
    t.ok((await host.running()).length <= 2, 'never a third one');
  }
  t.ok(interrupted > ROUNDS / 4, `${interrupted} of ${ROUNDS} were killed in the middle`);
  const last = desiredMac({
    slot_id: 's1',
    generation: 99,
    image: IMAGE,
    image_digest: host.digests[IMAGE] ?? null,
  });
  t.ok(await agent(last, null), 'the last agent finishes');
  const driver = rig.open();
  const watch = driver.watch({ macs() {}, images() {}, inventory() {} });
  const names = async () => (await rig.tool.list()).map((vm) => vm.name);
  await untilHost(async () => (await names()).length === 2, 'one Mac and its spare');
  t.match(await driver.listMacs(), [{ record: { generation: 99 }, stopped: false }]);
  await watch.close();
  await driver.remove('s1');
  t.equal((await names()).length, 1, 'only the spare');
});
