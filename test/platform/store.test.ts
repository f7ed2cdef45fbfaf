import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, fstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import t from 'tap';
import { type Migration, migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { storeConformance } from './store-conformance.js';

let files = 0;
const dir = t.testdir();
const file = () => join(dir, `store-${files++}.db`);

t.test('sqlite on disk', (t) => storeConformance(t, async () => openSqlite(file())));
t.test('sqlite in memory', (t) => storeConformance(t, async () => openSqlite(':memory:')));

t.test('reads of one turn see one state, and at once what this process commits', async (t) => {
  const name = file();
  const store = openSqlite(name);
  await store.run('CREATE TABLE n (value INTEGER)');
  await store.run('INSERT INTO n VALUES (1)');
  const other = new Database(name);
  t.teardown(() => other.close());
  const value = async () => (await store.get<{ value: number }>('SELECT value FROM n'))?.value;
  let turned = false;
  const turn = setImmediate().then(() => {
    turned = true;
  });

  t.equal(await value(), 1);
  const revision = await store.revision();
  other.exec('UPDATE n SET value = 2');
  t.equal(await value(), 1, 'what another process commits is seen in the next turn');
  t.equal(await store.revision(), revision);
  const written = store.run('UPDATE n SET value = value + 10');
  let seen = await value();
  for (let steps = 0; steps < 100 && seen === 1; steps++) seen = await value();
  t.equal(seen, 12, 'before the write is on disk');
  t.not(await store.revision(), revision);
  t.equal(turned, false);
  await Promise.all([written, turn]);

  const version = await store.outsideVersion();
  await value();
  other.exec('UPDATE n SET value = 3');
  t.equal(await store.outsideVersion(), version);
  await setImmediate();
  t.equal(await value(), 3);
  t.not(await store.outsideVersion(), version);
  await value();
  await store.close();
  t.equal(other.pragma('wal_checkpoint(TRUNCATE)', { simple: true }), 0, 'no reader is left');
});

t.test('migrations run once, in order, and an older program refuses a newer database', async (t) => {
  const name = file();
  const store = openSqlite(name);
  t.same(
    migrations.map((m) => m.id),
    migrations.map((_, i) => (migrations[0]?.id ?? 0) + i),
    'numbered without gaps',
  );
  t.same(
    await migrate(store, migrations, 5),
    migrations.map((m) => m.name),
  );
  t.same(await migrate(store, migrations, 6), []);
  const later: Migration = {
    id: (migrations.at(-1)?.id ?? 0) + 1,
    name: 'later',
    statements: ['CREATE TABLE later (id INTEGER)'],
  };
  t.same(await migrate(store, [...migrations, later], 7), ['later']);
  await t.rejects(migrate(store, migrations, 8), /install a newer/);
  await store.close();
});

t.test('a database from before the first migration is refused and not changed', async (t) => {
  const store = openSqlite(file());
  const old: Migration = { id: 64, name: 'old', statements: ['CREATE TABLE builds (id INTEGER)'] };
  await migrate(store, [old], 5);
  const schema = () => store.all('SELECT name, sql FROM sqlite_master ORDER BY name');
  const before = await schema();
  await t.rejects(migrate(store, migrations, 6), /is at migration 64, .* begins with 65: use another data folder/);
  t.same(await schema(), before);
  t.same(await store.all('SELECT id FROM migrations'), [{ id: 64 }]);
  await store.close();
});

t.test('a migration that fails changes nothing', async (t) => {
  const store = openSqlite(file());
  const broken: Migration = {
    id: 1,
    name: 'broken',
    statements: ['CREATE TABLE a (id INTEGER)', 'CREATE TABLE a (id INTEGER)'],
  };
  await t.rejects(migrate(store, [broken], 1), /already exists/);
  t.equal(await store.get("SELECT 1 FROM sqlite_master WHERE name = 'a'"), undefined);
  await store.close();
});

t.test('a snapshot sees one state while others write, and its reads can be far apart', async (t) => {
  const store = openSqlite(file());
  await store.run('CREATE TABLE n (id INTEGER PRIMARY KEY)');
  await store.run('INSERT INTO n DEFAULT VALUES');
  const count = 'SELECT COUNT(*) AS n FROM n';
  const seen = await store.snapshot(async (q) => {
    const first = await q.get(count);
    await store.run('INSERT INTO n DEFAULT VALUES');
    await setImmediate();
    await t.rejects(q.run('INSERT INTO n DEFAULT VALUES'), /readonly/);
    return [first, await q.get(count)];
  });
  t.same(seen, [{ n: 1 }, { n: 1 }]);
  t.same(await store.get(count), { n: 2 });
  const failing = store.snapshot(async () => {
    throw new Error('on purpose');
  });
  await t.rejects(failing, /on purpose/);
  await store.close();
  const memory = openSqlite(':memory:');
  await t.rejects(
    memory.snapshot(async () => {}),
    /no snapshots/,
  );
  await memory.close();
});

t.test('a backup taken beside running writes opens as a whole database', async (t) => {
  const store = openSqlite(file());
  await store.run('CREATE TABLE n (id INTEGER PRIMARY KEY)');
  const writes = Promise.all(Array.from({ length: 300 }, () => store.run('INSERT INTO n DEFAULT VALUES')));
  const copy = file();
  await store.backup(copy);
  await writes;
  const restored = openSqlite(copy);
  t.same(await restored.get('PRAGMA integrity_check'), { integrity_check: 'ok' });
  t.ok(await restored.get("SELECT 1 FROM sqlite_master WHERE name = 'n'"));
  await restored.close();
  await store.close();
});

t.test('a write waits for another process that holds the database for longer than one attempt', async (t) => {
  const name = file();
  const store = openSqlite(name);
  await store.run('CREATE TABLE n (id INTEGER PRIMARY KEY)');
  const other = new Database(name);
  other.exec('BEGIN IMMEDIATE');
  const waiting = store.run('INSERT INTO n DEFAULT VALUES');
  let timers = 0;
  const tick = setInterval(() => {
    if (++timers === 2) other.exec('COMMIT');
  }, 1);
  await waiting;
  clearInterval(tick);
  t.ok(timers >= 2, 'timers ran between the looks, so the process goes on with everything else');
  t.same(await store.get('SELECT COUNT(*) AS n FROM n'), { n: 1 });
  other.close();
  await store.close();
});

t.test('a write is reported when the disk has it; until then everything else goes on', async (t) => {
  const name = file();
  let disk = Promise.resolve();
  let syncs = 0;
  const dataSync = (fd: number) => {
    t.equal(fstatSync(fd).ino, statSync(`${name}-wal`).ino);
    syncs++;
    return disk;
  };
  const store = openSqlite(name, { dataSync });
  await store.run('CREATE TABLE n (id INTEGER PRIMARY KEY)');
  const before = syncs;
  let answer = () => {};
  disk = new Promise((resolve) => {
    answer = resolve;
  });
  let reported = 0;
  const write = () => store.run('INSERT INTO n DEFAULT VALUES').then(() => reported++);
  const first = write();
  while (syncs === before) await setImmediate();
  const rest = [write(), write(), write()];
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  t.equal(reported, 0);
  t.same(await store.get('SELECT COUNT(*) AS n FROM n'), { n: 1 }, 'committed, and read meanwhile');
  let durable = false;
  const read = store.durable().then(() => {
    durable = true;
  });
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  t.notOk(durable, 'what was read is not on the disk');
  answer();
  await read;
  await Promise.all([first, ...rest]);
  t.equal(reported, 4);
  t.equal(syncs, before + 2, 'those that came meanwhile share the next');
  await store.close();
});

t.test('after a disk has failed nothing is reported as written any more', async (t) => {
  let broken = false;
  const dataSync = async () => {
    if (broken) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
  };
  const store = openSqlite(file(), { dataSync });
  await store.run('CREATE TABLE n (id INTEGER PRIMARY KEY)');
  broken = true;
  let told = false;
  const write = store.transaction(async (tx) => {
    tx.onCommit(() => {
      told = true;
    });
    await tx.run('INSERT INTO n DEFAULT VALUES');
  });
  const failure = { name: 'StoreFailedError', cause: { code: 'EIO' } };
  await t.rejects(write, failure);
  t.notOk(told, 'nobody is woken for it');
  broken = false;
  await t.rejects(store.run('INSERT INTO n DEFAULT VALUES'), failure, 'a second sync proves nothing');
  await t.rejects(store.durable(), failure);
  t.match(store.failure(), failure);
  t.ok(await store.get('SELECT COUNT(*) AS n FROM n'), 'reading goes on');
  await store.close();
});

t.test('the log of a process that died is copied into the database by the next one that opens it', async (t) => {
  const name = file();
  const died = openSqlite(name);
  await died.run('CREATE TABLE n (id INTEGER PRIMARY KEY)');
  const next = openSqlite(name);
  const alone = file();
  copyFileSync(name, alone);
  const without = new Database(alone, { readonly: true });
  t.ok(without.prepare("SELECT 1 FROM sqlite_master WHERE name = 'n'").get());
  without.close();
  await next.close();
  await died.close();
});

t.test('data that was reported as written is there after the process is killed', async (t) => {
  const name = file();
  const program = `
    import { openSqlite } from '${new URL('../../control-plane/platform/store/sqlite.js', import.meta.url).href}';
    const store = openSqlite(process.argv[1]);
    await store.run('CREATE TABLE n (id INTEGER PRIMARY KEY)');
    for (let i = 1; ; i++) {
      await Promise.all([store.run('INSERT INTO n DEFAULT VALUES'), store.run('INSERT INTO n DEFAULT VALUES')]);
      process.stdout.write(String(2 * i) + '\\n');
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let reported = 0;
  for await (const chunk of child.stdout) {
    reported = Number(String(chunk).trim().split('\n').at(-1));
    if (reported >= 200) break;
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  const store = openSqlite(name);
  const { n } = (await store.get<{ n: number }>('SELECT count(*) AS n FROM n')) ?? { n: 0 };
  t.ok(reported >= 200 && n >= reported, `${n} rows of ${reported} reported`);
  await store.close();
});

t.test('writes of another process are noticed, own writes and reads are not', async (t) => {
  const name = file();
  const mine = openSqlite(name);
  const other = openSqlite(name);
  await mine.run('CREATE TABLE notes (id INTEGER PRIMARY KEY)');
  const before = await mine.outsideVersion();
  await mine.run('INSERT INTO notes (id) VALUES (1)');
  await mine.all('SELECT * FROM notes');
  t.equal(await mine.outsideVersion(), before);
  const revision = await mine.revision();
  await other.run('INSERT INTO notes (id) VALUES (2)');
  t.not(await mine.outsideVersion(), before);
  t.not(await mine.revision(), revision);
  await mine.close();
  await other.close();
});

t.test('a transaction that awaits anything but its queries is refused where that is checked', async (t) => {
  const store = openSqlite(':memory:', { oneTurn: true });
  await store.run('CREATE TABLE counts (n INTEGER NOT NULL)');
  await t.rejects(
    store.transaction(async (tx) => {
      await tx.run('INSERT INTO counts VALUES (1)');
      await new Promise((resolve) => setTimeout(resolve, 1));
    }),
    { message: 'a transaction awaited something that is not its own query' },
  );
  await store.transaction(async (tx) => {
    for (let n = 0; n < 50; n++) await tx.run('INSERT INTO counts VALUES (:n)', { n });
    await Promise.all([tx.all('SELECT n FROM counts'), Promise.resolve(1)]);
  });
  t.match(await store.get('SELECT COUNT(*) AS count FROM counts'), { count: 50 }, 'nothing of the first is left');
  await store.close();
});
