// Builds flow through three processes behind nginx while one is killed, one is stopped until it was given up, one loses the
// database and one has a full disk: nothing is lost, nothing is done twice.
// Runs in: soak
// Requires: postgres, nginx, root
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startPostgres } from '../../harness/postgres.js';
import { startPostgresCable } from '../../harness/postgres-cable.js';
import type { Started } from '../../harness/several-processes.js';
import { until } from '../../harness/until.js';
import { startServiceOf } from './service.js';

const RESERVE = 128 * 2 ** 20;

function smallDisk(t: Test, folder: string): void {
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${2 * RESERVE},mode=0700`, 'tmpfs', folder]);
  t.teardown(() => void execFileSync('umount', [folder]));
}

t.test('three processes, each with a fault of its own', async (t) => {
  const cluster = await startPostgres();
  t.teardown(() => cluster.stop());
  const database = (await cluster.createDatabase()).url;
  const url = database.replace('@/', '@localhost/');
  const cable = await startPostgresCable(t, url);
  const env = {
    one: { CIDERMILL_DATABASE_URL: url },
    two: { CIDERMILL_DATABASE_URL: url, CIDERMILL_DISK_RESERVE_BYTES: String(RESERVE) },
    three: { CIDERMILL_DATABASE_URL: cable.url },
  };
  const service = await startServiceOf(t, env, (installation) => smallDisk(t, installation.data('two')));
  const { installation, processes } = service;
  const named = (name: keyof typeof env) => processes.get(name) as Started;
  const restart = async (name: keyof typeof env) => {
    processes.set(name, await installation.start(name, env[name]));
    await until(async () => (await service.listed(named(name))).length === 3, `${name} is back`);
  };
  const alone = (gone: string, by: Started) =>
    until(
      async () => (await service.listed(by)).every(({ pid }) => pid !== processes.get(gone)?.child.pid),
      `${gone} is given up`,
      60_000,
    );
  const builds = service.builds();

  builds.begin('nothing is broken');
  await builds.accepted(20);

  builds.begin('kill -9');
  named('one').child.kill('SIGKILL');
  await builds.accepted(20);
  await alone('one', named('two'));
  builds.begin('started again');
  await restart('one');
  await builds.accepted(20);

  builds.begin('SIGSTOP until given up');
  named('two').child.kill('SIGSTOP');
  await alone('two', named('one'));
  named('two').child.kill('SIGCONT');
  t.equal(await named('two').ended, 1, 'it ends, because it was given up');
  builds.begin('started again');
  await restart('two');
  await builds.accepted(20);

  builds.begin('cut off from the database');
  cable.cut();
  await alone('three', named('one'));
  await builds.accepted(10);
  await cable.join();
  t.equal(await named('three').ended, 1, 'it ends, because it was given up');
  builds.begin('started again');
  await restart('three');
  await builds.accepted(20);

  builds.begin('disk full');
  const fill = join(installation.data('two'), 'fill');
  // It ends when there is no space left.
  t.throws(() => execFileSync('dd', ['if=/dev/zero', `of=${fill}`, 'bs=1M'], { stdio: 'ignore' }));
  await builds.accepted(15);
  builds.begin('space again');
  rmSync(fill);
  await builds.accepted(10);

  builds.begin('afterwards');
  await builds.over();
  for (const line of builds.lines()) t.comment(line);
  await builds.check(t, database, service.receiver.got);
});
