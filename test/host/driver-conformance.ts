// What every driver must do, whatever its Macs are.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import type { BuildProcesses, MacDriver } from '../../host-agent/driver/driver.js';
import { inventory, macFact } from '../../shared/protocol/index.js';
import { until } from '../link/until.js';

const mac = { slot_id: 's1', rental_id: 'rt_1', account_id: 7, generation: 1, xcode: null };

/** @param open a driver on a host that has no Macs; called once per scenario */
export async function driverConformance(t: Test, open: (t: Test) => Promise<MacDriver>): Promise<void> {
  /** Runs a command in the Mac to its end. */
  const inMac = async (
    driver: MacDriver,
    slotId: string,
    argv: string[],
    env: Record<string, string> = {},
  ) => {
    const launch = driver.launch(slotId, argv, env, driver.paths(slotId).work);
    const child = spawn(launch.file, launch.args, { cwd: launch.cwd, env: launch.env });
    child.stderr.resume();
    return await text(child.stdout);
  };
  const sh = (driver: MacDriver, script: string, env?: Record<string, string>, slotId = 's1') =>
    inMac(driver, slotId, ['/bin/sh', '-c', script], env);
  const newProcesses = (): BuildProcesses => ({
    mark: `CIDERMILL_TEST=${randomBytes(8).toString('hex')}`,
    session: null,
  });
  const envOf = ({ mark }: BuildProcesses) => ({ [mark.split('=')[0] ?? '']: mark.split('=')[1] ?? '' });

  await t.test('a host without Macs has none, and an inventory', async (t) => {
    const driver = await open(t);
    t.same(await driver.facts(), []);
    t.ok(inventory.safeParse(await driver.inventory()).success);
    t.equal((await driver.inventory()).driver, driver.kind);
    t.equal(driver.spec.kind, driver.kind);
    await driver.remove('s1');
    t.same(await driver.facts(), [], 'removing what is not there is harmless');
  });

  await t.test('a Mac that is made is there, also for a driver that was opened later', async (t) => {
    const driver = await open(t);
    await driver.ensure(mac);
    const [fact, ...others] = await driver.facts();
    t.same(others, []);
    t.match(fact, {
      slot_id: 's1',
      rental_id: 'rt_1',
      generation: 1,
      state: 'ready',
      xcode: null,
      error: null,
    });
    t.ok(macFact.safeParse(fact).success);
    const { home, work, tmp } = driver.paths('s1');
    for (const folder of [home, work, tmp]) t.equal(await sh(driver, `cd '${folder}' && pwd`), `${folder}\n`);
    t.equal(
      await sh(driver, 'echo $HOME $TMPDIR $GIVEN', { HOME: home, TMPDIR: tmp, GIVEN: 'x' }),
      `${home} ${tmp} x\n`,
    );
  });

  await t.test(
    'ensuring what is there changes nothing; a new generation or rental leaves nothing of before',
    async (t) => {
      const driver = await open(t);
      await driver.ensure(mac);
      const { home, work, tmp, caches } = driver.paths('s1');
      const plant = [home, work, tmp, caches].map(
        (folder) => `mkdir -p '${folder}/a/b' && echo kept >'${folder}/a/b/c'`,
      );
      const look = `cat '${work}/a/b/c' '${home}/a/b/c' 2>/dev/null | wc -l`;
      await sh(driver, plant.join(';'));
      await driver.ensure(mac);
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
        await driver.ensure(next);
        t.equal(
          (await sh(driver, look)).trim(),
          '0',
          `generation ${next.generation}, rental ${next.rental_id}`,
        );
        t.equal(await driver.signal('s1', processes, 0), 0, 'no process of before');
        t.match(await driver.facts(), [
          { generation: next.generation, rental_id: next.rental_id, state: 'ready' },
        ]);
      }
    },
  );

  await t.test('a Mac that is removed leaves nothing, whatever was made in it', async (t) => {
    const driver = await open(t);
    await driver.ensure(mac);
    const { work, home } = driver.paths('s1');
    const outside = path.join(home, '..', '..', '..');
    await sh(
      driver,
      `cd '${work}'; mkdir -p ro/deep; echo x >ro/deep/f; chmod 0444 ro/deep/f; chmod 0555 ro/deep ro; ln -s '${outside}' up; ` +
        `mkfifo pipe; mkdir none; chmod 0 none; ln -s nowhere dangling`,
    );
    await driver.remove('s1');
    t.same(await driver.facts(), []);
    await driver.ensure(mac);
    t.equal(await sh(driver, 'ls -A'), '');
  });

  await t.test('changes of one slot take turns', async (t) => {
    const driver = await open(t);
    const changes: Promise<void>[] = [];
    for (let generation = 1; generation <= 6; generation++) {
      changes.push(driver.ensure({ ...mac, generation }));
      if (generation % 2 === 0) changes.push(driver.remove('s1'));
    }
    changes.push(driver.ensure({ ...mac, generation: 9 }));
    await Promise.all(changes);
    t.match(await driver.facts(), [{ generation: 9, state: 'ready' }]);
  });

  await t.test('the processes of one build are told from all others', async (t) => {
    const driver = await open(t);
    await driver.ensure(mac);
    await driver.ensure({ ...mac, slot_id: 's2' });
    const mine = newProcesses();
    const other = newProcesses();
    const sleep = 'sleep 4323 >/dev/null 2>&1';
    await sh(
      driver,
      `${sleep} & (setsid ${sleep} &) ; (nohup setsid sh -c '${sleep} & ${sleep}' >/dev/null 2>&1 &)`,
      envOf(mine),
    );
    await sh(driver, `trap '' TERM; ${sleep} &`, envOf(other), 's2');
    await until(async () => (await driver.signal('s1', mine, 0)) === 5, 'all processes of the build are up');
    t.equal(await driver.signal('s2', other, 0), 1);
    t.equal(await driver.signal('s1', mine, 'SIGTERM'), 5);
    await until(async () => (await driver.signal('s1', mine, 0)) === 0, 'they have ended');
    t.equal(await driver.signal('s2', other, 'SIGTERM'), 1, 'the other build is as it was');
    t.equal(await driver.signal('s2', other, 'SIGKILL'), 1, 'this one ignores SIGTERM');
    await until(async () => (await driver.signal('s2', other, 0)) === 0, 'nobody ignores SIGKILL');
  });

  await t.test('a slot id that is no name is refused', async (t) => {
    const driver = await open(t);
    for (const slot of ['', '.', '..', 'a/b', '../s1', 'a\0b', '-rf', 'x'.repeat(300)]) {
      t.throws(() => driver.paths(slot), RangeError, JSON.stringify(slot));
    }
  });

  await t.test('an Xcode that is not installed is neither found nor promised', async (t) => {
    const driver = await open(t);
    t.equal(await driver.developerDir('99.99'), null);
    await t.rejects(driver.ensure({ ...mac, xcode: '99.99' }), { message: /99\.99/ });
  });
}
