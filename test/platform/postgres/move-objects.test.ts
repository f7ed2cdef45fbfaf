// `cidermill admin migrate --to … --objects …`: rows and files move together, or the files follow; killed at many instants.
// Requires: postgres
// Runs in: soak
import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { createControlPlane } from '../../../control-plane/index.js';
import { useOwnObjects } from '../../../control-plane/own-objects.js';
import { lockDatabase } from '../../../control-plane/platform/store/postgres/database-lock.js';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import {
  copyOf,
  hasEverything,
  type Installation,
  installation,
  killedAt,
  migrate,
  migrateAlone,
  PLACE,
  s3Config,
  s3Env,
  tempFolder,
} from '../../admin/move-objects-rig.js';
import { startPostgres } from '../../harness/postgres.js';
import { type S3Server, startS3Server } from '../../harness/s3-server.js';
import { moveOf, putObjectsId, rowsOfFile, rowsOfServer, startCable } from './move-rig.js';

const cluster = await startPostgres();
t.teardown(() => cluster.stop());
const log = pino({ level: 'silent' });
const original = await installation(t);
const newUrl = async () => (await cluster.createDatabase()).url.replace('@/', '@localhost/');

/** Rows of both sides, without what only the new database has. */
async function sameRows(t: Test, { data }: Installation, url: string): Promise<void> {
  const without = ({ meta = [], ...rows }: Readonly<Record<string, readonly string[]>>) => ({
    ...rows,
    meta: meta.filter((row) => !/objects_(id|copy)/.test(row)),
  });
  t.same(without(await rowsOfServer(url)), without(rowsOfFile(join(data, 'cidermill.db'))));
}

/** What the moved database refers to is there: its rows are those of the old one, which is looked at with the objects. */
async function isWhole(t: Test, of: Installation, url: string, server: S3Server): Promise<void> {
  await sameRows(t, of, url);
  const old = copyOf(t, of);
  await putObjectsId(join(old.data, 'cidermill.db'), url);
  await hasEverything(t, old, s3Config(server));
  const settings = { CIDERMILL_DATA: of.data, CIDERMILL_PORT: '0', CIDERMILL_DATABASE_URL: url };
  const env = { ...settings, CIDERMILL_OBJECTS: PLACE, ...s3Env(server) };
  await t.rejects(createControlPlane({ env: settings, log }), /set CIDERMILL_OBJECTS as it was/);
  const service = await createControlPlane({ env, log });
  await service.stop();
}

t.test('rows and files together', async (t) => {
  const server = await startS3Server(t, { least: 5 * 1024 * 1024 });
  const of = copyOf(t, original);
  const url = await newUrl();
  const args = ['--to', url, '--objects', PLACE];
  const ran = await migrate(of.data, args, s3Env(server));
  t.equal(ran.code, 0, ran.stderr);
  const { database, objects } = JSON.parse(ran.stdout);
  t.match(database.to, /on localhost/);
  t.same([objects.to, objects.kinds.length, objects.lost], [PLACE, 4, 0]);
  t.ok(moveOf(join(of.data, 'cidermill.db'))?.moved);
  const again = await migrate(of.data, args, s3Env(server));
  t.same([again.code, again.stdout], [0, ran.stdout]);
  await isWhole(t, of, url, server);
});

t.test('the files follow later, from the folder of a service on PostgreSQL', async (t) => {
  const server = await startS3Server(t, { least: 5 * 1024 * 1024 });
  const of = copyOf(t, original);
  const url = await newUrl();
  t.equal((await migrate(of.data, ['--to', url])).code, 0);
  const env = { ...s3Env(server), CIDERMILL_DATABASE_URL: url };
  const empty = await migrate(tempFolder(t), ['--objects', PLACE], env);
  t.equal(empty.code, 65, 'a folder that is not of this service');
  t.match(empty.stderr, /files that the database names are missing/);
  server.objects.clear();
  const lock = await lockDatabase(url, { onLost: () => undefined, shared: true });
  const refused = await migrate(of.data, ['--objects', PLACE], env);
  t.match(refused, { code: 65, stderr: /another service uses this database/ });
  await lock.release();
  const ran = await migrate(of.data, ['--objects', PLACE], env);
  t.equal(ran.code, 0, ran.stderr);
  t.same(
    JSON.parse(ran.stdout).objects.kinds.map(({ count }: { count: number }) => count),
    [3, 1, 2, 2],
  );
  const again = await migrate(of.data, ['--objects', PLACE], env);
  t.same(JSON.parse(again.stdout).objects, JSON.parse(ran.stdout).objects);
  rmSync(join(of.data, 'contents'), { recursive: true });
  const service = await createControlPlane({
    env: { CIDERMILL_DATA: of.data, CIDERMILL_PORT: '0', CIDERMILL_OBJECTS: PLACE, ...env },
    log,
  });
  await service.stop();
  const store = await openPostgres(url, { connections: 1 });
  await t.rejects(useOwnObjects(store, null, log), /set CIDERMILL_OBJECTS as it was/);
  await store.close();
});

t.test('killed and run again, at statements of the new database', async (t) => {
  const server = await startS3Server(t, { least: 5 * 1024 * 1024 });
  const instants = [
    'CREATE TABLE unfinished_move',
    'INSERT INTO "',
    'DECLARE copied',
    'INSERT INTO meta',
    'DROP TABLE IF EXISTS unfinished_move',
  ];
  for (const [n, at] of instants.entries())
    for (const arrives of n < 3 ? [false] : [false, true])
      await t.test(`at ${at}${arrives ? ', which arrives' : ''}`, async (t) => {
        server.objects.clear();
        const of = copyOf(t, original);
        const url = await newUrl();
        const cable = await startCable(t, url);
        let child: ChildProcess | undefined;
        cable.watch = (sent) => {
          if (child?.killed) return 'drop';
          if (!sent.includes(at)) return 'pass';
          child?.kill('SIGKILL');
          return arrives ? 'pass' : 'drop';
        };
        const args = ['--to', cable.url, '--objects', PLACE];
        const killed = await migrateAlone(of.data, args, s3Env(server), (started) => {
          child = started;
        });
        t.equal(killed.signal, 'SIGKILL', killed.stderr);
        cable.watch = () => 'pass';
        const there = server.objects.size;
        server.requests.length = 0;
        const again = await migrate(of.data, args, s3Env(server));
        t.equal(again.code, 0, again.stderr);
        t.equal(server.objects.size, there);
        t.notOk(
          server.requests.some((request) => request.startsWith('PUT ')),
          'nothing is copied twice',
        );
        await isWhole(t, of, url, server);
      });
});

t.test('killed and run again, at requests to the store', async (t) => {
  const server = await startS3Server(t, { least: 5 * 1024 * 1024 });
  await migrate(copyOf(t, original).data, ['--objects', PLACE], s3Env(server));
  const count = server.requests.length;
  t.ok(count > 20, String(count));
  for (let nth = 1; nth <= count; nth += 7)
    await t.test(`request ${nth}`, (t) => killedAt(t, original, server, { nth, arrives: nth % 2 === 0 }));
});
