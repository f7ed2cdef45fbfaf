// Processes on one database: who is there, whose turn it is to run the workers, what becomes of one that has died or comes
// back after it was given up, and how they wake each other.
// Requires: postgres
import pg from 'pg';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { Processes } from '../../../control-plane/platform/app/processes.js';
import { joinProcesses } from '../../../control-plane/platform/app/several-processes.js';
import { within } from '../../../control-plane/platform/store/fence.js';
import { readMeta, writeMeta } from '../../../control-plane/platform/store/meta.js';
import { migrate } from '../../../control-plane/platform/store/migrate.js';
import { migrations, newestMigration } from '../../../control-plane/platform/store/migrations/all.js';
import { DatabaseInUseError, lockDatabase } from '../../../control-plane/platform/store/postgres/database-lock.js';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import { type Hint, openWakeBus, packed } from '../../../control-plane/platform/store/postgres/wake-bus.js';
import { createWake } from '../../../control-plane/platform/wake.js';
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { gate } from '../../harness/gate.js';
import { startPostgres } from '../../harness/postgres.js';
import { until } from '../../harness/until.js';

const cluster = await startPostgres();
t.teardown(() => cluster.stop());

const template = await cluster.createDatabase();
const first = await openPostgres(template.url);
await migrate(first, migrations, 0);
await first.close();

const newDatabase = async () => (await cluster.createDatabase(template.name)).url;
const log = pino({ level: 'silent' });

/** A process: its store, its bus, and whether it runs the workers. */
async function join(t: Test, url: string, { keyId = 'k1', deadMs = 400 } = {}) {
  const store = await openPostgres(url, { connections: 3 });
  t.teardown(() => store.close());
  const given: Error[] = [];
  const began: string[] = [];
  const processes = await joinProcesses({
    url,
    store,
    log,
    version: '0.1.0',
    schemaId: newestMigration,
    keyId: () => keyId,
    onGivenUp: (error) => void given.push(error),
    beats: { everyMs: 50, deadMs },
  });
  const wake = createWake(systemClock);
  processes.joinWakes(wake);
  processes.beginWorkers(() => void began.push(processes.id));
  let left = false;
  const leave = async () => {
    if (!left) await processes.leave();
    left = true;
  };
  t.teardown(async () => {
    wake.close();
    await leave();
  });
  return { store, processes, wake, given, began, leave };
}

async function query(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

const idsOf = async (processes: Processes) => (await processes.list()).map(({ processId }) => processId);

t.test('processes list each other, and one of them runs the workers', async (t) => {
  const url = await newDatabase();
  const [one, two] = [await join(t, url), await join(t, url)];
  await until(() => one.began.length + two.began.length > 0, 'one runs the workers');
  one.processes.countConnections(() => 3);
  t.same(await idsOf(two.processes), [one.processes.id, two.processes.id], 'the oldest first');
  await until(async () => (await two.processes.list())[0]?.connections === 3, 'the other says what it has');
  const [leader, other] = one.began.length > 0 ? [one, two] : [two, one];
  t.same(other.began, []);
  t.same(
    (await other.processes.list()).filter(({ workers }) => workers).map(({ processId }) => processId),
    [leader.processes.id],
  );
  const given: string[][] = [];
  leader.processes.whenGone(async (tx, ids) => {
    await tx.get('SELECT 1');
    given.push([...ids]);
  });
  await leader.leave();
  t.same(given, [[leader.processes.id]], 'it gives back what it holds itself');
  await until(() => other.began.length > 0, 'the other takes over at once');
  t.same(await idsOf(other.processes), [other.processes.id]);
  t.same([...leader.given, ...other.given], [], 'nobody was given up');
});

t.test('what a process held that has died is given back by another one', async (t) => {
  const url = await newDatabase();
  await query(
    url,
    `INSERT INTO processes VALUES ('cp_dead', '0.1.0', 1, 'k1', 'mill-1', 7, 1, 1, 0, 0);
     UPDATE process_tasks SET process_id = 'cp_dead'`,
  );
  const one = await join(t, url);
  const given: string[] = [];
  one.processes.whenGone(async (tx, ids) => {
    await tx.get('SELECT 1');
    given.push(...ids);
  });
  t.same(await idsOf(one.processes), ['cp_dead', one.processes.id], 'it is not given up before this one has looked on');
  await until(() => one.began.length > 0, 'it takes over the workers');
  t.same(given, ['cp_dead']);
  t.same(await idsOf(one.processes), [one.processes.id]);
});

t.test('a process that was given up cannot write any more, and is told', async (t) => {
  const url = await newDatabase();
  const [one, two] = [await join(t, url), await join(t, url)];
  await until(() => one.began.length + two.began.length > 0, 'one runs the workers');
  await one.store.transaction((tx) => writeMeta(tx, 'note', 'before'));
  await query(url, `DELETE FROM processes WHERE process_id = '${one.processes.id}'`);
  let ran = false;
  await t.rejects(
    one.store.transaction(async (tx) => {
      ran = true;
      await writeMeta(tx, 'note', 'after');
    }),
    { name: 'ProcessGivenUpError', code: 'STORE_UNAVAILABLE' },
  );
  t.notOk(ran, 'its transaction does not even begin');
  await t.rejects(one.store.run(`UPDATE meta SET value = 'after' WHERE name = 'note'`), /have not seen this one/);
  t.equal(await readMeta(two.store, 'note'), 'before');
  t.equal(one.given.length, 1);
  await until(() => two.began.length > 0, 'the other has the workers');
  t.same(two.given, []);
});

t.test('a transaction that began before its process was given up, and ends after it, is not carried out', async (t) => {
  const url = await newDatabase();
  const [one, two] = [await join(t, url), await join(t, url)];
  await one.store.transaction((tx) => writeMeta(tx, 'note', 'before'));
  const { open: begun, opened: beginning } = gate();
  const { open: goOn, opened: held } = gate();
  // As a process that is stopped in the middle.
  const late = one.store.transaction(async (tx) => {
    const before = await readMeta(tx, 'note');
    begun();
    await held;
    await writeMeta(tx, 'note', `${before} and late`);
  });
  await beginning;
  await two.store.transaction(async (tx) => {
    await tx.run('DELETE FROM processes WHERE process_id = :id', { id: one.processes.id });
    await writeMeta(tx, 'note', 'by the successor');
  });
  goOn();
  await t.rejects(late, { name: 'ProcessGivenUpError' });
  t.equal(await readMeta(two.store, 'note'), 'by the successor');
});

t.test('a fence around part of the work holds for that part only', async (t) => {
  const { store } = await join(t, await newDatabase());
  const closed = { holds: 'SELECT 1 WHERE false', gone: () => new Error('closed') };
  const open = { holds: 'SELECT 1', gone: () => new Error('open') };
  const write = () => store.transaction((tx) => writeMeta(tx, 'note', 'x'));
  await t.rejects(
    within(open, () => within(closed, write)),
    { message: 'closed' },
  );
  await within(open, write);
  t.equal(await readMeta(store, 'note'), 'x');
});

t.test('a process with another key for secrets is refused', async (t) => {
  const url = await newDatabase();
  await join(t, url);
  await t.rejects(join(t, url, { keyId: 'k2' }), { message: /^process \d+ on / });
});

t.test('processes wake each other, once for what comes together', async (t) => {
  const url = await newDatabase();
  const [one, two] = [await join(t, url), await join(t, url)];
  const heard: unknown[] = [];
  const own: unknown[] = [];
  const quiet = async () => {
    // Each is told "everything" when it begins to listen.
    await until(() => heard.some((key) => key === '') && own.some((key) => key === ''), 'both listen');
    await pause(systemClock, 150);
    heard.length = 0;
    own.length = 0;
  };
  two.wake.on('builds', (key, about) => void heard.push(about ? [key, about] : key));
  one.wake.on('builds', (key) => void own.push(key));
  await query(url, `NOTIFY cidermill, '["cp_other",null]'`);
  await quiet();
  const waiting = two.wake.wait('build', 'b1', 5_000);
  for (let i = 0; i < 5; i++) one.wake.wake('build', 'b1');
  one.wake.wake('builds', '7', { id: 'b1', workspaceId: null });
  one.wake.wake('builds', '8');
  one.wake.wake('builds', '8');
  one.wake.wakeHere('builds', '9');
  t.equal(await waiting, true);
  await until(() => heard.length >= 2, 'the other has heard');
  t.same(heard, [['7', { id: 'b1', workspaceId: null }], '8']);
  t.same(own, ['7', '8', '8', '9'], 'its own come once');
});

t.test('wakes that may have been lost wake everything', async (t) => {
  const url = await newDatabase();
  const two = await join(t, url);
  const heard: string[] = [];
  two.wake.on('orders', (key) => void heard.push(key));
  const listening = () => heard.includes('');
  await query(url, `NOTIFY cidermill, 'not ours'`);
  await until(listening, 'what nobody understands may be anything');
  heard.length = 0;
  await query(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cidermill listener'
       AND datname = current_database()`,
  );
  await until(listening, 'it listens again, and looks at everything');
});

t.test('many wakes at once are few notifications, or "everything"', async (t) => {
  const hint = (n: number): Hint => ['builds', `${n}`.padStart(60, 'é')];
  const few = packed(
    'cp_1',
    Array.from({ length: 300 }, (_, n) => hint(n)),
  );
  t.ok(few.length > 1 && few.length <= 8, `${few.length}`);
  t.ok(few.every((payload) => Buffer.byteLength(payload) < 8_000));
  t.same(
    few.flatMap((payload) => JSON.parse(payload)[1]),
    Array.from({ length: 300 }, (_, n) => hint(n)),
  );
  t.same(
    packed(
      'cp_1',
      Array.from({ length: 5_000 }, (_, n) => hint(n)),
    ),
    ['["cp_1",null]'],
  );
  t.same(packed('cp_1', [['builds', 'x'.repeat(9_000)]]), ['["cp_1",null]']);

  const url = await newDatabase();
  const received: (readonly Hint[] | null)[] = [];
  const bus = (processId: string) =>
    openWakeBus(url, {
      processId,
      opened: () => undefined,
      received: (hints) => void (processId === 'cp_b' && received.push(hints)),
      failed: (error) => t.fail(error.message),
    });
  const [a, b] = [bus('cp_a'), bus('cp_b')];
  await until(() => received.length === 1, 'it listens');
  a.send(['builds', '1']);
  // What is sent before there is a connection becomes "everything".
  await until(async () => {
    await a.query('SELECT 1').catch(() => undefined);
    return received.length > 1;
  }, 'it has arrived');
  await Promise.all([a.close(), b.close()]);
});

t.test('a lost wake costs a person who waits about two seconds', async (t) => {
  const wake = createWake(systemClock);
  t.teardown(() => wake.close());
  wake.passOn(() => undefined);
  const before = systemClock.monotonic();
  t.equal(await wake.wait('build', 'b1', 60_000), true, 'it looks by itself');
  const ms = systemClock.monotonic() - before;
  t.ok(ms >= 1_900 && ms < 10_000, `${ms}`);
});

t.test('the lock lets in several that say so, or one', async (t) => {
  const url = await newDatabase();
  const options = { onLost: () => undefined, patienceMs: 0 };
  const shared = [
    await lockDatabase(url, { ...options, shared: true }),
    await lockDatabase(url, { ...options, shared: true }),
  ];
  await t.rejects(lockDatabase(url, options), DatabaseInUseError);
  for (const lock of shared) await lock.release();
  const alone = await lockDatabase(url, options);
  await t.rejects(lockDatabase(url, { ...options, shared: true }), DatabaseInUseError);
  await alone.release();
});

t.test('an older program works beside a newer one of the same minor version', async (t) => {
  const url = await newDatabase();
  const store = await openPostgres(url, { connections: 1 });
  t.teardown(() => store.close());
  const refused = { message: /install a newer version$/ };
  const later = { id: newestMigration + 1, name: 'later', statements: ['ALTER TABLE meta ADD COLUMN later TEXT'] };
  t.same(await migrate(store, [...migrations, later], 0, { version: '1.4.2' }), ['later']);
  t.same(await migrate(store, migrations, 0, { version: '1.4.0', besideNewer: true }), []);
  await t.rejects(migrate(store, migrations, 0, { version: '1.4.0' }), refused, 'but only beside it');
  for (const version of ['1.3.9', '1.40.0', '2.4.0']) {
    await t.rejects(migrate(store, migrations, 0, { version, besideNewer: true }), refused, version);
  }
});
