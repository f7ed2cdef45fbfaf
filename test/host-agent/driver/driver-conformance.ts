// The conformance suite of all drivers.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import { type BuildProcesses, type MacDriver, NotInstalledError } from '../../../host-agent/driver/driver.js';
import type { LocalDriver } from '../../../host-agent/driver/local.js';
import { type DesiredMac, inventory } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { until } from '../../harness/until.js';

const mac = desiredMac({ slot_id: 's1', account_id: 7 });
const bring = (driver: MacDriver, want: DesiredMac) => createMacChanges(driver).bring(want, () => {});

type OpenDriver = (t: Test) => Promise<LocalDriver>;

/** Runs a command in the Mac until it exits. */
const inMac = async (
  driver: LocalDriver,
  slotId: string,
  argv: string[],
  env: Record<string, string> = {},
) => {
  const launch = driver.launch(slotId, argv, env, driver.paths(slotId).work);
  const child = spawn(launch.file, launch.args, { cwd: launch.cwd, env: launch.env });
  child.stderr.resume();
  return await text(child.stdout);
};
const sh = (driver: LocalDriver, script: string, env?: Record<string, string>, slotId = 's1') =>
  inMac(driver, slotId, ['/bin/sh', '-c', script], env);
const newProcesses = (): BuildProcesses => ({
  mark: `CIDERMILL_TEST=${randomBytes(8).toString('hex')}`,
  session: null,
});
const envOf = ({ mark }: BuildProcesses) => ({ [mark.split('=')[0] ?? '']: mark.split('=')[1] ?? '' });

/** @param open opens a driver on a host without Macs; called once per scenario */
export async function driverConformance(t: Test, open: OpenDriver): Promise<void> {
  await listsMacs(t, open);
  await keepsAndClearsMacs(t, open);
  await refusesAndRemoves(t, open);
  await findsProcesses(t, open);
}

async function listsMacs(t: Test, open: OpenDriver): Promise<void> {
  await t.test('a host without Macs lists none and has an inventory', async (t) => {
    const driver = await open(t);
    t.same(await driver.listMacs(), []);
    t.ok(inventory.safeParse(await driver.inventory()).success);
    t.equal((await driver.inventory()).driver, driver.kind);
    t.equal(driver.spec.kind, driver.kind);
    await driver.remove('s1');
    t.same(await driver.listMacs(), [], 'removing what is not there is harmless');
  });

  await t.test('a created Mac is listed, also by a driver opened later', async (t) => {
    const driver = await open(t);
    await bring(driver, mac);
    const [fact, ...others] = await driver.listMacs();
    t.same(others, []);
    t.same(fact, {
      slot_id: 's1',
      record: {
        ...{ rental_id: 'rt_1', account_id: 7, generation: 1, revision: 1 },
        ...{ xcode: null, runtimes: [], tools: [] },
      },
    });
    const { home, work, tmp } = driver.paths('s1');
    for (const folder of [home, work, tmp]) t.equal(await sh(driver, `cd '${folder}' && pwd`), `${folder}\n`);
    t.equal(
      await sh(driver, 'echo $HOME $TMPDIR $GIVEN', { HOME: home, TMPDIR: tmp, GIVEN: 'x' }),
      `${home} ${tmp} x\n`,
    );
  });

  await t.test('a slot id that is not a valid folder name is refused', async (t) => {
    const driver = await open(t);
    for (const slot of ['', '.', '..', 'a/b', '../s1', 'a\0b', '-rf', 'x'.repeat(300)]) {
      t.throws(() => driver.paths(slot), RangeError, JSON.stringify(slot));
    }
  });

  await t.test('an Xcode that is not installed is neither found nor listed', async (t) => {
    const driver = await open(t);
    t.equal(await driver.developerDir('99.99'), null);
    await t.rejects(bring(driver, { ...mac, xcode: '99.99' }), { message: /99\.99/ });
  });
}

async function keepsAndClearsMacs(t: Test, open: OpenDriver): Promise<void> {
  await t.test(
    'bringing about an existing Mac changes nothing; a new generation or rental leaves nothing behind',
    async (t) => {
      const driver = await open(t);
      await bring(driver, mac);
      const { home, work, tmp, caches } = driver.paths('s1');
      const plant = [home, work, tmp, caches].map(
        (folder) => `mkdir -p '${folder}/a/b' && echo kept >'${folder}/a/b/c'`,
      );
      const look = `cat '${work}/a/b/c' '${home}/a/b/c' 2>/dev/null | wc -l`;
      await sh(driver, plant.join(';'));
      await bring(driver, mac);
      t.equal((await sh(driver, look)).trim(), '2', 'the same desire');

      for (const next of [
        { ...mac, generation: 2 },
        { ...mac, generation: 2, rental_id: 'rt_2' },
      ]) {
        const processes = newProcesses();
        await sh(
          driver,
          `${plant.join(';')}; (sleep 4322 >/dev/null 2>&1 &); (cd /; sleep 4322 >/dev/null 2>&1 &)`,
          {
            HOME: home,
            ...envOf(processes),
          },
        );
        t.equal(await driver.signal('s1', processes, 0), 2);
        await bring(driver, next);
        t.equal(
          (await sh(driver, look)).trim(),
          '0',
          `generation ${next.generation}, rental ${next.rental_id}`,
        );
        t.equal(await driver.signal('s1', processes, 0), 0, 'no earlier process');
        t.match(await driver.listMacs(), [
          { record: { generation: next.generation, rental_id: next.rental_id } },
        ]);
      }
    },
  );

  await t.test('emptying the work folder kills all processes and keeps everything else', async (t) => {
    const driver = await open(t);
    await bring(driver, mac);
    const { home, work, tmp, caches } = driver.paths('s1');
    const others = [home, tmp, caches].map((folder) => `${folder}/kept`);
    const processes = newProcesses();
    const plant = `mkdir -p a/b; echo x >a/b/c; ln -s '${home}' link; chmod 0500 a/b; touch ${others.join(' ')}`;
    await sh(driver, `${plant}; (sleep 4326 >/dev/null 2>&1 &)`, { HOME: home, ...envOf(processes) });
    const held = await driver.listMacs();
    await driver.emptyWork('s1');
    t.equal(await sh(driver, `ls -A '${work}'`), '');
    t.equal((await sh(driver, `ls ${others.join(' ')} | wc -l`)).trim(), '3');
    t.equal(await driver.signal('s1', processes, 0), 0);
    t.same(await driver.listMacs(), held, 'the record stays');
    await driver.emptyWork('s1');
    await sh(driver, `rmdir '${work}'; ln -s '${home}' '${work}'`, {}, 's1');
    await driver.emptyWork('s1');
    t.equal(await sh(driver, `ls -A '${work}'`), '', 'not even through a link');
    t.equal((await sh(driver, `ls ${others.join(' ')} | wc -l`)).trim(), '3');
  });
}

async function refusesAndRemoves(t: Test, open: OpenDriver): Promise<void> {
  await t.test('software that is not installed is refused before anything changes', async (t) => {
    const driver = await open(t);
    await bring(driver, mac);
    const held = await driver.listMacs();
    const noMore = () => {};
    await t.rejects(driver.selectXcode('s1', '99.99'), NotInstalledError);
    await t.rejects(driver.installRuntime('s1', 'no such runtime', noMore), NotInstalledError);
    await t.rejects(driver.installTool('s1', 'no-such-tool-4327', noMore), NotInstalledError);
    t.same(await driver.listMacs(), held);
  });

  await t.test('a removed Mac leaves nothing, whatever was created in it', async (t) => {
    const driver = await open(t);
    await bring(driver, mac);
    const { work, home } = driver.paths('s1');
    const outside = path.join(home, '..', '..', '..');
    await sh(
      driver,
      `cd '${work}'; mkdir -p ro/deep; echo x >ro/deep/f; chmod 0444 ro/deep/f; chmod 0555 ro/deep ro; ln -s '${outside}' up; ` +
        `mkfifo pipe; mkdir none; chmod 0 none; ln -s nowhere dangling`,
    );
    await driver.remove('s1');
    t.same(await driver.listMacs(), []);
    await bring(driver, mac);
    t.equal(await sh(driver, 'ls -A'), '');
  });

  await t.test('changes of one slot run one at a time', async (t) => {
    const driver = await open(t);
    const changes = createMacChanges(driver);
    const pending: Promise<void>[] = [];
    for (let generation = 1; generation <= 6; generation++) {
      pending.push(changes.bring({ ...mac, generation }, () => {}));
      if (generation % 2 === 0) pending.push(changes.remove('s1'));
    }
    pending.push(changes.bring({ ...mac, generation: 9 }, () => {}));
    await Promise.all(pending);
    t.match(await driver.listMacs(), [{ record: { generation: 9 } }]);
  });
}

async function findsProcesses(t: Test, open: OpenDriver): Promise<void> {
  await t.test('the processes of one build are distinguished from all others', async (t) => {
    const driver = await open(t);
    await bring(driver, mac);
    await bring(driver, { ...mac, slot_id: 's2' });
    const mine = newProcesses();
    const other = newProcesses();
    const sleep = 'sleep 4323 >/dev/null 2>&1';
    await sh(
      driver,
      `${sleep} & (setsid ${sleep} &) ; (nohup setsid sh -c '${sleep} & ${sleep}' >/dev/null 2>&1 &)`,
      envOf(mine),
    );
    await sh(driver, `trap '' TERM; ${sleep} &`, envOf(other), 's2');
    await until(async () => (await driver.signal('s1', mine, 0)) === 5, 'all processes of the build run');
    t.equal(await driver.signal('s2', other, 0), 1);
    t.equal(await driver.signal('s1', mine, 'SIGTERM'), 5);
    await until(async () => (await driver.signal('s1', mine, 0)) === 0, 'they have ended');
    t.equal(await driver.signal('s2', other, 'SIGTERM'), 1, 'the other build is not affected');
    t.equal(await driver.signal('s2', other, 'SIGKILL'), 1, 'this one ignores SIGTERM');
    await until(async () => (await driver.signal('s2', other, 0)) === 0, 'SIGKILL is not ignored');
  });
}
