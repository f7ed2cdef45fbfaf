// A real program whose database lets it wait: a transaction is tried a limited number of times, a statement has a time limit,
// and the sender gets 503 `database_unavailable`, after which nothing has been written.
// Runs in: soak
import pg from 'pg';
import t from 'tap';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import { StoreUnavailableError } from '../../../control-plane/platform/store/sql.js';
import { systemClock } from '../../../shared/clock.js';
import { startPrograms } from '../../harness/programs.js';

const STATEMENT_MS = 1_000;
const programs = await startPrograms(t, {
  count: 1,
  settings: `statement_timeout=${STATEMENT_MS}`,
  env: { CIDERMILL_DATABASE_WAIT_MS: '300' },
});
const { store, call, createAccount, database } = programs;
const account = await createAccount('Patient');
const build = { script: 'make', repo: 'apple/swift', queue_until_rental: true };
const submit = (key: string) => call(account, 0, 'POST', '/builds', build, { 'idempotency-key': key });
const count = async (table: string) =>
  Number((await store.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))?.n);
const written = async () => [await count('builds'), await count('events'), await count('idempotency')];
const client = new pg.Client(database);
await client.connect();
t.teardown(() => client.end());

t.test('a transaction that always comes too late is tried 30 times', async (t) => {
  await client.query(`
    CREATE SEQUENCE tries;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$BEGIN PERFORM nextval('tries'); RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = 'another came first'; END$$;
    CREATE TRIGGER refuse BEFORE INSERT ON builds FOR EACH ROW EXECUTE FUNCTION refuse()`);
  const before = await written();
  const answer = await submit('too-late');
  t.equal(answer.status, 503);
  t.match(answer.body.error, { code: 'database_unavailable', retryable: true });
  t.equal(Number((await client.query('SELECT last_value AS n FROM tries')).rows[0].n), 30);
  t.same(await written(), before, 'nothing is written');
  await client.query('DROP TRIGGER refuse ON builds');
  t.equal((await submit('too-late')).status, 201, 'the same request works afterwards');
  t.same(
    await written(),
    before.map((n) => n + 1),
  );
});

t.test('a statement that waits for a lock ends', async (t) => {
  const before = await written();
  await client.query('BEGIN; LOCK TABLE builds IN ACCESS EXCLUSIVE MODE');
  const began = systemClock.monotonic();
  const answers = await Promise.all([submit('locked'), call(account, 0, 'GET', '/builds')]);
  const took = systemClock.monotonic() - began;
  for (const { status, body } of answers) t.match([status, body.error?.code], [503, 'database_unavailable']);
  t.ok(took >= STATEMENT_MS * 0.9, `${took} ms: it has waited`);
  t.equal((await call(account, 0, 'GET', '/secrets')).status, 200, 'what does not need the table works meanwhile');
  await client.query('ROLLBACK');
  t.same(await written(), before);
  t.equal((await submit('locked')).status, 201);
});

t.test('a statement that takes too long ends, in a transaction and outside', async (t) => {
  const slow = await openPostgres(`${database}&statement_timeout=200`, { connections: 2, waitMs: 100 });
  t.teardown(() => slow.close());
  await t.rejects(slow.get('SELECT pg_sleep(60)'), StoreUnavailableError);
  let tries = 0;
  const failing = slow.transaction(async (tx) => {
    tries++;
    await tx.run(`INSERT INTO meta (name, value) VALUES ('slow', 'x')`);
    await tx.get('SELECT pg_sleep(60)');
  });
  await t.rejects(failing, StoreUnavailableError);
  t.equal(tries, 1);
  t.equal(await slow.get(`SELECT 1 FROM meta WHERE name = 'slow'`), undefined);
  await slow.run(`INSERT INTO meta (name, value) VALUES ('slow', 'y')`);
  t.same(await slow.get(`SELECT value FROM meta WHERE name = 'slow'`), { value: 'y' });
});

t.test('what always meets another transaction in the store is not carried out, and says so', async (t) => {
  const one = await openPostgres(database, { connections: 1 });
  t.teardown(() => one.close());
  await store.run(`INSERT INTO meta (name, value) VALUES ('met', '0')`);
  const value = async () => (await store.get<{ value: string }>(`SELECT value FROM meta WHERE name = 'met'`))?.value;
  let [tries, commits] = [0, 0];
  const always = one.transaction(async (tx) => {
    tx.onCommit(() => commits++);
    await tx.get(`SELECT value FROM meta WHERE name = 'met'`);
    await store.run(`UPDATE meta SET value = :value WHERE name = 'met'`, { value: String(++tries) });
    await tx.run(`UPDATE meta SET value = 'mine' WHERE name = 'met'`);
  });
  await t.rejects(always, { name: 'StoreUnavailableError', message: /came first 30 times/ });
  t.same([tries, commits, await value()], [30, 0, '30']);
});
