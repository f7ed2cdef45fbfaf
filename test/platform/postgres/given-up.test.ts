// A real program is stopped in the middle of its work and given up by another one. When it goes on it writes nothing, answers
// nothing as done, and ends.
// Runs in: soak
import pg from 'pg';
import t from 'tap';
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { send, startPrograms } from '../../harness/programs.js';
import { until } from '../../harness/until.js';

const programs = await startPrograms(t, { count: 2 });
const { store, call, createAccount, database, admin, startAnother } = programs;
const account = await createAccount('Stopped');
const build = { script: 'make', repo: 'apple/swift', queue_until_rental: true };
const client = new pg.Client(database);
await client.connect();
t.teardown(() => client.end());

interface Listed {
  readonly process_id: string;
  readonly pid: number;
  readonly workers: boolean;
}
const listed = async () => (await store.all<Listed>('SELECT process_id, pid FROM processes')) as Listed[];
/** What a request or a worker may have changed, without marks of work on events. */
const RESULTS = [
  'SELECT build_id, status, attempt, ended_at, event_sequence FROM builds',
  'SELECT event_id, event_type, sequence FROM events',
  'SELECT name, updated_at FROM secrets',
  'SELECT webhook_id FROM webhooks',
  'SELECT key, status FROM idempotency',
];
const rowsOf = async (sql: string) => (await store.all<object>(sql)).map((row) => JSON.stringify(row)).sort();
const written = () => Promise.all(RESULTS.map(rowsOf));

/** Statements of one client's transactions that wait for the advisory lock of this test, which a trigger takes. */
const waiting = async () =>
  Number(
    (
      await client.query(
        `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 4711`,
      )
    ).rows[0].n,
  );

t.test('in the middle of a transaction, between transactions and before one', async (t) => {
  const [stopped, other] = [programs.at(1), programs.at(0)];
  const headers = { authorization: `Bearer ${account.key}` };
  const ask = (method: string, path: string, body: object, more: object = {}) =>
    send(stopped.url, method, `/api/v1${path}`, { body, headers: { ...headers, ...more } }).then(
      ({ status, body }) => ({ status, code: body.error?.code }),
      (error: Error) => ({ status: 0, code: error.message }),
    );
  // The insert of a build waits in the server for a lock that this test holds.
  await client.query(`
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END$$;
    CREATE TRIGGER hold BEFORE INSERT ON builds FOR EACH ROW WHEN (NEW.priority = 1) EXECUTE FUNCTION hold();
    SELECT pg_advisory_lock(4711)`);
  const before = await written();
  const begun = ask('POST', '/builds', { ...build, priority: 1 }, { 'idempotency-key': 'middle' });
  await until(async () => (await waiting()) === 1, 'its transaction has begun and waits in the middle');
  // These wait for that transaction in the program, and a few have not even been read when it is stopped.
  const queued = [
    ask('PUT', '/secrets/AFTER', { value: 'x' }),
    ask('POST', '/webhooks', { url: 'https://192.0.43.8/', events: ['build.succeeded'] }),
    ask('POST', '/builds', build, { 'idempotency-key': 'queued' }),
  ];
  await pause(systemClock, 200);
  stopped.child.kill('SIGSTOP');
  const late = ask('POST', '/builds', build, { 'idempotency-key': 'late' });
  await until(async () => (await listed()).every(({ pid }) => pid !== stopped.child.pid), 'it is given up', 60_000);
  await client.query('SELECT pg_advisory_unlock(4711)');
  const made = await call(account, 0, 'PUT', '/secrets/OF_THE_OTHER', { value: 'y' });
  t.ok(made.status < 300);
  const then = await written();
  stopped.child.kill('SIGCONT');
  t.equal(await stopped.ended, 1, 'it ends, because it was given up');
  const answers = await Promise.all([begun, ...queued, late]);
  t.same(
    answers.filter(({ status }) => status >= 200 && status < 300),
    [],
    'nothing is answered as done',
  );
  t.same(await written(), then, 'nothing of it is written');
  t.equal(then[0]?.length, before[0]?.length, 'also no build that had begun');
  const again = await call(account, 0, 'POST', '/builds', { ...build, priority: 1 }, { 'idempotency-key': 'middle' });
  t.equal(again.status, 201, 'the same requests are carried out by another, once');
  t.notOk(again.headers.has('idempotent-replayed'));
  t.equal((await fetch(`${other.url}/readyz`)).status, 200);
});

t.test('the one that runs the workers, while builds are due to expire', async (t) => {
  const third = await startAnother();
  const leader = async (): Promise<Listed | undefined> =>
    ((await admin('process', 'list')).processes as Listed[]).find(({ workers }) => workers);
  await until(async () => (await leader()) !== undefined, 'one runs the workers', 60_000);
  const stopped = (await leader())?.pid === third.child.pid ? third : programs.at(0);
  const survivor = stopped === third ? programs.at(0) : third;
  for (let n = 0; n < 5; n++) {
    const answer = await send(survivor.url, 'POST', '/api/v1/builds', {
      body: build,
      headers: { authorization: `Bearer ${account.key}` },
    });
    t.equal(answer.status, 201);
  }
  stopped.child.kill('SIGSTOP');
  // Now they are too old: the process that runs the workers ends them.
  await store.run(`UPDATE builds SET created_at = created_at - 2592000000 WHERE status = 'queued'`);
  await until(async () => (await listed()).every(({ pid }) => pid === survivor.child.pid), 'it is given up', 60_000);
  const open = async () => (await store.all(`SELECT 1 FROM builds WHERE status = 'queued'`)).length;
  await store.get(`SELECT pg_notify('cidermill', '["cp_other",null]')`);
  await until(async () => (await open()) === 0, 'the other has ended them', 120_000);
  const then = await written();
  stopped.child.kill('SIGCONT');
  t.equal(await stopped.ended, 1);
  t.same(await written(), then, 'nothing is ended twice');
  const twice = await store.all(
    `SELECT subject_id FROM events WHERE event_type IN ('build.expired', 'build.cancelled') GROUP BY subject_id HAVING COUNT(*) > 1`,
  );
  t.same(twice, []);
});
