// Builds flow through three processes behind nginx while these are replaced, one by one, by those of a version with a newer
// schema, and the last one by one of this version again: an older process works beside a newer schema.
// Nothing has been released yet, so the older version is this one, and the newer one is made of it (next-version.ts).
// Runs in: soak
// Requires: postgres, nginx
import t from 'tap';
import { startPostgres } from '../../harness/postgres.js';
import type { Started } from '../../harness/several-processes.js';
import { MIGRATION, makeNextVersion, VERSION } from './next-version.js';
import { startServiceOf } from './service.js';

t.test('three processes are replaced under load', async (t) => {
  const next = await makeNextVersion(t);
  const cluster = await startPostgres();
  t.teardown(() => cluster.stop());
  const database = (await cluster.createDatabase()).url;
  const env = {
    CIDERMILL_DATABASE_URL: database.replace('@/', '@localhost/'),
    CIDERMILL_STOP_NOTICE_MS: '3000',
  };
  const names = ['one', 'two', 'three'];
  const service = await startServiceOf(t, Object.fromEntries(names.map((name) => [name, env])));
  const { installation, processes } = service;
  const named = (name: string) => processes.get(name) as Started;
  const replace = async (name: string, main?: string) => {
    named(name).child.kill('SIGTERM');
    t.equal(await named(name).ended, 0, `${name} ends in order`);
    processes.set(name, await installation.start(name, env, main));
  };
  const builds = service.builds();

  builds.begin('nothing is replaced');
  await builds.accepted(20);
  for (const name of names) {
    builds.begin(`${name} is replaced`);
    await replace(name, next);
    await builds.accepted(15);
    const health = await (await fetch(`${named(name).url}/healthz`)).text();
    t.match(health, `version ${VERSION}, schema ${MIGRATION}`);
  }
  builds.begin('three goes back to the older version');
  await replace('three');
  await builds.accepted(15);
  t.same((await service.listed(named('one'))).map(({ version }) => version).sort(), ['0.1.0', VERSION, VERSION]);

  builds.begin('afterwards');
  await builds.over();
  for (const line of builds.lines()) t.comment(line);
  await builds.check(t, database, service.receiver.got);
  t.same(
    builds.report().map(({ errors }) => errors),
    builds.report().map(() => ({})),
    'no request failed',
  );
});
