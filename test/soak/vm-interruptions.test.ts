// The agent is killed at every command of a change; the next one continues, and nothing is left behind.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { createMacChanges } from '../../host-agent/daemon/macs/change.js';
import type { MacDriver } from '../../host-agent/driver/driver.js';
import type { VmTool } from '../../host-agent/driver/vm/tool.js';
import { desiredMac } from '../harness/desired-mac.js';
import { openTartHost } from '../harness/vm/tart-host.js';
import { IMAGE, type TartRig, tartRig, untilHost, vmsOf } from '../host-agent/driver/tart-rig.js';

/** The tool of an agent that is killed at its command number `at` (from 0): before the command, or before it knows the end. */
function mortal(tool: VmTool, at: number, before: boolean): { tool: VmTool; died: () => boolean } {
  let count = 0;
  let dead = false;
  const forever = new Promise<never>(() => {});
  const wrapped = new Proxy(tool, {
    get(target, name: keyof VmTool) {
      const method = target[name];
      if (typeof method !== 'function' || name === 'execTransport') return method;
      return async (...args: unknown[]) => {
        const mine = count++;
        if (mine === at && before) dead = true;
        if (dead) return forever;
        const answer = await (method as (...args: unknown[]) => Promise<unknown>)(...args);
        if (mine === at) dead = true;
        return dead ? forever : answer;
      };
    },
  });
  return { tool: wrapped, died: () => dead };
}

const bring = (driver: MacDriver, want: ReturnType<typeof desiredMac>) =>
  createMacChanges(driver).bring(want, () => {});

/** Runs the change until it has ended or the agent was killed. */
async function attempt(change: Promise<void>, died: () => boolean): Promise<void> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  change.then(end, end);
  await untilHost(() => ended || died(), 'the change ends, or the agent is killed');
}

const files = (rig: TartRig, folder: string) => {
  try {
    return readdirSync(path.join(rig.dataDir, folder));
  } catch {
    return [];
  }
};

const MOST_COMMANDS = 40;

t.test(
  'an agent killed at any command of a change leaves nothing that the next one does not complete',
  async (t) => {
    const host = await openTartHost(t);
    const want = desiredMac({ slot_id: 's1', image: IMAGE, image_digest: host.digests[IMAGE] ?? null });
    const scenarios: Record<string, (driver: MacDriver, rig: TartRig) => Promise<void>> = {
      create: (driver) => bring(driver, want),
      reset: (driver) => bring(driver, { ...want, generation: 2 }),
      start: (driver) => bring(driver, { ...want, generation: 2 }),
      remove: (driver) => driver.remove('s1'),
    };
    const rig = tartRig(host);
    const lasting = rig.open();
    for (const [name, change] of Object.entries(scenarios)) {
      const points = Array.from({ length: MOST_COMMANDS }, (_, at) => [at, true] as const).flatMap(([at]) => [
        [at, true] as const,
        [at, false] as const,
      ]);
      for (const [at, before] of points) {
        // What the scenario begins with.
        if (name === 'create') await lasting.remove('s1');
        if (name === 'reset') await bring(lasting, want);
        if (name === 'start' || name === 'remove') await bring(lasting, { ...want, generation: 2 });
        if (name === 'start') for (const vm of await host.running()) host.kill(vm);

        const killed = mortal(rig.tool, at, before);
        const driver = rig.open({ tool: killed.tool });
        await attempt(change(driver, rig), killed.died);
        const next = rig.open();
        const watch = next.watch({ macs() {}, images() {}, inventory() {} });
        if (name === 'remove') await next.remove('s1');
        else await bring(next, { ...want, generation: name === 'create' ? 1 : 2 });
        const present = name === 'remove' ? 0 : 1;
        const own = async () => (await rig.tool.list()).map((vm) => vm.name);
        await untilHost(() => vmsOf(host).length === present, `${name} ${at}: no leftover`);
        await untilHost(() => files(rig, 'vms').length === present, `${name} ${at}: no record of a leftover`);
        t.same(
          files(rig, 'vms'),
          await own(),
          `${name}, killed ${before ? 'before' : 'after'} command ${at}`,
        );
        t.equal(files(rig, 'macs').length, present);
        if (present)
          t.match(await next.listMacs(), [{ record: { rental_id: want.rental_id }, stopped: false }]);
        await watch.close();
        if (!killed.died()) break;
      }
    }
    await lasting.remove('s1');
    t.same(await host.running(), []);
  },
);
