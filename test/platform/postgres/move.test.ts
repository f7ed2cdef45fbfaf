// `cidermill admin migrate`: an installation is moved from SQLite to PostgreSQL.
// Requires: postgres
// Runs in: soak
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { withService } from '../../../control-plane/admin/service.js';
import { createControlPlane } from '../../../control-plane/index.js';
import { lockDatabase } from '../../../control-plane/platform/store/postgres/database-lock.js';
import { putMigratedDatabase } from '../../harness/migrated-database.js';
import { startPostgres } from '../../harness/postgres.js';
import {
  admin,
  callsOf,
  differencesOn,
  folder,
  migrate,
  migrateAlone,
  moveOf,
  onServer,
  PASSWORD,
  type Ran,
  rowsOfFile,
  rowsOfServer,
  startCable,
} from './move-rig.js';
import { putRandomRows } from './random-rows.js';

const cluster = await startPostgres();
t.teardown(() => cluster.stop());
const main = new URL('../../../control-plane/main.js', import.meta.url).pathname;
const log = pino({ level: 'silent' });

const newUrl = async () => (await cluster.createDatabase()).url.replace('@/', `:${PASSWORD}@localhost/`);

/** Of an owner without other rights. */
async function ownersUrl(): Promise<string> {
  const { name } = await cluster.createDatabase();
  const role = `owner_of_${name}`;
  await onServer(cluster.url('postgres').replace('@/', '@localhost/'), async (client) => {
    await client.query(`CREATE ROLE ${role} LOGIN`);
    await client.query(`ALTER DATABASE ${name} OWNER TO ${role}`);
  });
  return cluster.url(name).replace('cidermill@/', `${role}:${PASSWORD}@localhost/`);
}

async function installation(t: Test): Promise<{ data: string; file: string }> {
  const data = folder(t);
  const file = join(data, 'cidermill.db');
  await putMigratedDatabase(file);
  return { data, file };
}

const start = (data: string, url?: string) =>
  createControlPlane({ env: { CIDERMILL_DATA: data, CIDERMILL_PORT: '0', CIDERMILL_DATABASE_URL: url ?? '' }, log });

function saysNoPassword(t: Test, { stdout, stderr }: Ran): void {
  t.notMatch(stdout + stderr, new RegExp(PASSWORD), 'the password is not shown');
}

t.test('random rows of every table are the same on both sides', async (t) => {
  for (const seed of [1, 2]) {
    const { data, file } = await installation(t);
    const counts = putRandomRows(file, seed);
    for (const [name, rows] of counts) t.ok(rows > 0, `${name} has rows`);
    const before = rowsOfFile(file);
    const url = await ownersUrl();
    const ran = await migrate(data, url);
    t.equal(ran.code, 0, ran.stderr);
    saysNoPassword(t, ran);
    t.same(rowsOfFile(file), before, 'the old database is as it was');
    t.same(await rowsOfServer(url), before);
    const said: { table: string; rows: number; sha256: string }[] = JSON.parse(ran.stdout).database.tables;
    t.same(
      said.map(({ table, rows }) => [table, rows]),
      Object.entries(before).map(([table, rows]) => [table, rows.length]),
    );
    for (const { sha256 } of said) t.match(sha256, /^[0-9a-f]{64}$/);
    const again = await admin('migrate', '--data', data, '--to', url);
    t.equal(again.code, 0, again.stderr);
    t.match(again.stdout, /has been moved already to the database t\d+_\d+ on localhost: \d+ tables/);
    t.same(JSON.parse((await migrate(data, url)).stdout).database.tables, said);
    const elsewhere = await migrate(data, await newUrl());
    t.equal(elsewhere.code, 65);
    t.match(elsewhere.stderr, /has been moved to the database t\d+_\d+ on localhost already/);
  }
});

const build = { script: 'make', repo: 'apple/swift', queue_until_rental: true };

t.test('a service goes on with its database on PostgreSQL', async (t) => {
  const data = folder(t);
  const file = join(data, 'cidermill.db');
  const first = await start(data);
  const key = await withService(data, async ({ organizations, apiKeys }) => {
    const { id, workspaceId } = await organizations.create({ name: 'Apple Press' });
    const levels = ['read', 'build', 'manage'] as const;
    return (await apiKeys.create({ accountId: id, workspaceId, name: 'test', levels: [...levels] })).key;
  });
  const call = await callsOf(first.baseUrl, key);
  t.match(await call('PUT', '/secrets/TOKEN', { value: 'secret value' }), { status: 200 });
  const made = await call('POST', '/builds', build);
  t.equal(made.status, 201, JSON.stringify(made.body));
  const url = await newUrl();
  const early = await migrate(data, url);
  t.equal(early.code, 65);
  t.match(early.stderr, /is in use by process \d+ .*at http/);
  await first.stop();

  const ran = await migrateAlone(data, url);
  t.equal(ran.code, 0, ran.stderr);
  t.same(await differencesOn(url), [], 'the ledger of records is as before');

  await t.test('the old database is refused, and can be read', async (t) => {
    const sentence = new RegExp(
      `${data} has been moved to PostgreSQL: set CIDERMILL_DATABASE_URL to the address of the database t\\d+_\\d+ on localhost`,
    );
    const error = await start(data).then(
      (service) => service.stop(),
      (thrown: Error) => thrown,
    );
    t.match(error, { name: 'StartError', message: sentence });
    const env = { ...process.env, CIDERMILL_DATA: data, CIDERMILL_PORT: '0', CIDERMILL_DATABASE_URL: '' };
    const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (piece) => {
      said += piece;
    });
    t.same(await once(child, 'close'), [78, null]);
    t.match(said, sentence);
    const listed = await admin('org', 'list', '--data', data);
    t.equal(listed.code, 66);
    t.match(listed.stderr, sentence);
    const copied = await admin('backup', join(data, 'copy.db'), '--data', data);
    t.equal(copied.code, 0, copied.stderr);
    for (const name of [file, join(data, 'copy.db')]) {
      const db = new Database(name, { readonly: true });
      t.equal(db.prepare('SELECT COUNT(*) FROM builds').pluck().get(), 1);
      db.close();
    }
  });

  const second = await start(data, url);
  t.teardown(() => second.stop());
  const callAgain = await callsOf(second.baseUrl, key);
  const { id } = made.body;
  t.match(await callAgain('GET', `/builds/${id}`), { status: 200, body: { id, status: 'queued' } });
  t.match(await callAgain('GET', '/secrets'), { status: 200, body: { secrets: [{ name: 'TOKEN', readable: true }] } });
  t.equal((await callAgain('POST', '/builds', build)).status, 201, 'numbers go on behind those that were copied');
  t.same(await differencesOn(url), [], 'and what is new is counted');
});

t.test('what cannot be moved is refused, and changes nothing', async (t) => {
  const { data, file } = await installation(t);
  putRandomRows(file, 4);
  const refused = async (t: Test, to: string, code: number, message: RegExp, from = data) => {
    const ran = await migrate(from, to);
    t.equal(ran.code, code, ran.stderr);
    t.match(ran.stderr, message);
    t.equal(ran.stdout, '');
    saysNoPassword(t, ran);
    if (existsSync(join(from, 'cidermill.db'))) t.notOk(moveOf(join(from, 'cidermill.db'))?.moved);
  };

  await t.test('addresses', async (t) => {
    await refused(t, `mysql://user:${PASSWORD}@h/d`, 64, /option --to: expected postgres:\/\/USER:PASSWORD@HOST:PORT/);
    const noServer = /cannot use the database mill on 127\.0\.0\.1: .*ECONNREFUSED/;
    await refused(t, `postgres://user:${PASSWORD}@127.0.0.1:1/mill`, 65, noServer);
    await refused(t, (await newUrl()).replace(/\/t\w+\?/, '/missing?'), 65, /database "missing" does not exist/);
    const without = await admin('migrate', '--data', data);
    t.equal(without.code, 64);
    t.match(without.stderr, /give --to, or set CIDERMILL_DATABASE_URL/);
  });

  await t.test('a database of PostgreSQL that is in use, or not empty', async (t) => {
    const url = await newUrl();
    const lock = await lockDatabase(url, { onLost: () => undefined });
    await refused(t, url, 65, /cannot use the database t\d+_\d+ on localhost: another service uses this database/);
    await lock.release();
    await onServer(url, (client) => client.query('CREATE TABLE notes (text TEXT)'));
    await refused(t, url, 65, /the database t\d+_\d+ on localhost is not empty: give an empty one/);
    const other = await newUrl();
    await onServer(other, (client) => client.query(`CREATE TABLE unfinished_move AS SELECT 'x' AS id`));
    await refused(t, other, 65, /holds an unfinished move of another installation/);
    await onServer(url, async (client) => {
      const { rows } = await client.query(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`);
      t.same(rows, [{ relname: 'notes' }]);
    });
  });

  await t.test('a database that is open, missing or of another version', async (t) => {
    const url = await newUrl();
    const open = new Database(file);
    open.prepare('SELECT COUNT(*) FROM meta').get();
    await refused(t, url, 65, /cidermill\.db is open in another program/);
    open.close();
    await refused(t, url, 66, /there is no database in/, folder(t));
    for (const [change, message] of [
      ['UPDATE migrations SET id = 9999 WHERE id = (SELECT MAX(id) FROM migrations)', /9999, this program knows \d+/],
      ['DELETE FROM migrations WHERE id = (SELECT MAX(id) FROM migrations)', /start this version of the service once/],
      ['DROP TABLE migrations', /this is not a database of the service/],
    ] as const) {
      const old = await installation(t);
      const db = new Database(old.file);
      db.exec(change);
      db.close();
      await refused(t, url, 66, message, old.data);
    }
  });

  await t.test('a text by which PostgreSQL sorts otherwise', async (t) => {
    const { data, file } = await installation(t);
    const db = new Database(file);
    db.prepare(`INSERT INTO meta (name, value) VALUES ('a note' || char(0), 'b')`).run();
    db.close();
    const url = await newUrl();
    const message =
      /the row name a note.* of the table meta has the character NUL, U\+FFFFE or U\+10FFFE in name, which cannot be moved/;
    await refused(t, url, 65, message, data);
    const service = await start(data);
    await service.stop();
    await t.rejects(start(data, url), /is not complete, because a move to it was interrupted/);
  });
});

t.test('a copy that differs is not used', async (t) => {
  const { data, file } = await installation(t);
  putRandomRows(file, 5);
  const url = await newUrl();
  const cable = await startCable(t, url);
  let changed = false;
  cable.watch = async (sent): Promise<'pass'> => {
    if (sent.includes('DECLARE copied') && !changed) {
      changed = true;
      await onServer(url, (client) => client.query(`UPDATE users SET operator = operator + 1`)).catch(() => undefined);
      await onServer(url, (client) => client.query(`UPDATE users SET name = 'somebody'`));
    }
    return 'pass';
  };
  const ran = await migrate(data, cable.url);
  t.equal(ran.code, 70);
  t.match(ran.stderr, /has failed: the copy of the table users differs: \d+ rows, sha256 [0-9a-f]{64}; copied/);
  saysNoPassword(t, ran);
  t.notOk(moveOf(file)?.moved);
  const again = await migrate(data, cable.url);
  t.equal(again.code, 0, again.stderr);
  t.match(again.stderr, /an earlier move to the database .* was interrupted: the database is emptied/);
  t.same(await rowsOfServer(url), rowsOfFile(file));
});
