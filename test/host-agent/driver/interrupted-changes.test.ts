// An agent is killed at each step of a change, and the next one completes it: no leftovers, other virtual machines
// are not touched, and no Mac counts as complete too early.
// Runs in: soak
import t, { type Test } from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import type { MacDriver } from '../../../host-agent/driver/driver.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { casesOf, runs } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import { openLume, openTart, type VmHost } from './driver-hosts.js';
import { type Moment, mortalTool } from './mortal-tool.js';

const FOREIGN = 'somebody-elses';
const quiet = { macs() {}, images() {}, inventory() {} };

interface Change {
  /** Brings the host into the state before. */
  before(host: VmHost): Promise<void>;
  begin(driver: MacDriver, host: VmHost): Promise<void>;
}

const want = (host: VmHost, generation = 1) => desiredMac({ slot_id: 's1', generation, ...host.model });
const bring = (driver: MacDriver, host: VmHost, generation = 1) =>
  createMacChanges(driver).bring(want(host, generation), () => {});
const removeMac = (driver: MacDriver) => createMacChanges(driver).remove('s1');

const changes: Readonly<Record<string, Change>> = {
  create: { before: (host) => removeMac(host.open()), begin: (driver, host) => bring(driver, host) },
  start: {
    async before(host) {
      await bring(host.open(), host);
      await crash(host);
    },
    begin: (driver, host) => bring(driver, host),
  },
  'create anew': {
    before: (host) => bring(host.open(), host),
    begin: (driver, host) => bring(driver, host, 2),
  },
  remove: { before: (host) => bring(host.open(), host), begin: removeMac },
};

async function crash(host: VmHost): Promise<void> {
  const access = await host.open().guest('s1');
  if (access === null) throw new Error('a virtual machine is expected');
  await host.kill(access.vm);
  await until(async () => !(await access.running()), 'it has ended');
}

/** Begins the change in an agent that is killed at this step. Returns the step's name, or null if the change ended first. */
async function dieAt(host: VmHost, change: Change, step: number, moment: Moment): Promise<string | null> {
  const { tool, clock, died } = mortalTool(host.tool, step, moment);
  const driver = host.openOver({ tool, clock });
  return Promise.race([died, change.begin(driver, host).then(() => null)]);
}

/** The next agent reports no incomplete Mac as complete, creates it, and removes the leftovers of the killed agent. */
async function goOn(t: Test, host: VmHost, what: string): Promise<void> {
  const driver = host.open();
  for (const mac of await driver.listMacs()) {
    if (mac.record === null || mac.stopped) continue;
    t.equal(await host.sh(driver, 's1', 'echo here'), 'here\n', `${what}: a complete Mac works`);
  }
  await bring(driver, host, 3);
  t.equal(await host.sh(driver, 's1', 'echo made'), 'made\n', what);
  const watch = driver.watch(quiet);
  await until(async () => (await host.traces()).length === 3, `${what}: the machine, its record and its slot`);
  await watch.close();
  await driver.remove('s1');
  t.same(await host.traces(), [], what);
}

interface Death {
  readonly change: string;
  readonly moment: Moment;
  readonly step: number;
}

/** Returns false when the change ended first. */
async function survives(t: Test, host: VmHost, { change: name, moment, step }: Death): Promise<boolean> {
  const change = changes[name]!;
  await change.before(host);
  const died = await dieAt(host, change, step, moment);
  if (died !== null) await goOn(t, host, `${name}, killed ${moment} step ${step} (${died})`);
  return died !== null;
}

interface Deaths {
  readonly changes: readonly string[];
  /** The moments of a step; each gets as far as the change has steps. */
  readonly moments: readonly ((step: number) => Moment)[];
  /** What a run that is no soak run takes. */
  readonly some?: readonly Death[];
}

const during = (): Moment => 'during';
/** The state after a step is that before the next one, but for what the agent writes between them. */
const between = (step: number): Moment => (step % 2 === 1 ? 'before' : 'after');

async function surviveAll(t: Test, host: VmHost, { changes, moments, some = [] }: Deaths): Promise<void> {
  const image = { ref: host.model.image ?? '', digest: host.model.image_digest ?? '' };
  await host.tool.pull(image, { progress: () => {}, signal: new AbortController().signal });
  await host.tool.clone(image, FOREIGN);
  if (runs(0, 1) === 0) for (const death of some) t.ok(await survives(t, host, death), JSON.stringify(death));
  else {
    for (const change of changes) {
      for (const moment of moments) {
        for (let step = 1; await survives(t, host, { change, moment: moment(step), step }); step++);
      }
    }
  }
  t.ok(
    (await host.tool.list()).some((vm) => vm.name === FOREIGN),
    'virtual machines of others stay',
  );
}

const hosts = {
  tart: async (t: Test) => {
    const host = await openTart(t);
    host.fault('clone-ms', '100');
    await surviveAll(t, host, {
      changes: Object.keys(changes),
      moments: [during, between],
      some: [
        { change: 'create', moment: 'during', step: 1 },
        { change: 'create anew', moment: 'during', step: 2 },
      ],
    });
  },
  // To create a Mac anew has the steps of creating one.
  lume: async (t: Test) =>
    surviveAll(t, await openLume(t), { changes: ['start', 'create anew', 'remove'], moments: [during] }),
};

for (const [name, test] of casesOf(hosts, ['tart'])) {
  t.test(`${name}: an agent that is killed at any step`, test);
}
