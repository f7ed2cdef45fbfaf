// The service with its database on a server of PostgreSQL.
// Requires: postgres
// Runs in: soak

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { withService } from '../../../control-plane/admin/service.js';
import { ConfigError } from '../../../control-plane/config-error.js';
import { type ControlPlane, createControlPlane } from '../../../control-plane/index.js';
import { DATABASE_LOCK, lockDatabase } from '../../../control-plane/platform/store/postgres/database-lock.js';
import { cidermill } from '../../harness/cli.js';
import { gate } from '../../harness/gate.js';
import { startPostgres } from '../../harness/postgres.js';
import { startPostgresCable } from '../../harness/postgres-cable.js';
import { until } from '../../harness/until.js';

const cluster = await startPostgres();
t.teardown(() => cluster.stop());

/** An address without a host is none for programs other than the client of PostgreSQL. */
const createUrl = async () => (await cluster.createDatabase()).url.replace('@/', '@localhost/');

function folder(t: Test): string {
  const data = mkdtempSync(join(tmpdir(), 'cidermill-pg-'));
  t.teardown(() => rmSync(data, { recursive: true, force: true }));
  return data;
}

const log = pino({ level: 'silent' });
const start = (data: string, url: string) =>
  createControlPlane({
    env: { CIDERMILL_DATA: data, CIDERMILL_PORT: '0', CIDERMILL_DATABASE_URL: url, CIDERMILL_DATABASE_WAIT_MS: '300' },
    log,
  });

/** Ends the sessions of all others, as a restart of the server does. */
async function endSessions(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
  );
  await client.end();
}

/** Commands of the test use the database, too. */
async function createKey(t: Test, data: string, url: string): Promise<string> {
  process.env.CIDERMILL_DATABASE_URL = url;
  t.teardown(() => void delete process.env.CIDERMILL_DATABASE_URL);
  return withService(data, async ({ organizations, apiKeys }) => {
    const { id, workspaceId } = await organizations.create({ name: 'Apple Press' });
    return (await apiKeys.create({ accountId: id, workspaceId, name: 'test', levels: ['read', 'build'] })).key;
  });
}

t.test('a service on PostgreSQL', async (t) => {
  const [data, url] = [folder(t), await createUrl()];
  let service: ControlPlane = await start(data, url);
  t.teardown(() => service.stop());
  t.notOk(existsSync(join(data, 'cidermill.db')));
  const key = await createKey(t, data, url);
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(service.baseUrl + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: (await answer.json()) as { id: string; status: string } };
  };
  const made = await call('POST', '/builds', { script: 'make', repo: 'apple/swift', queue_until_rental: true });
  t.equal(made.status, 201);
  const { id } = made.body;

  await t.test('goes on when the server has ended all connections', async (t) => {
    await endSessions(url);
    await until(async () => (await call('GET', `/builds/${id}`)).status === 200, 'the build is shown');
    const other = await call('POST', '/builds', { script: 'make', repo: 'apple/swift', queue_until_rental: true });
    t.equal(other.status, 201);
    const isLocked = () =>
      lockDatabase(url, { onLost: () => undefined, patienceMs: 0 }).then(
        (taken) => taken.release().then(() => false),
        () => true,
      );
    await until(isLocked, 'it has locked the database again');
  });

  await t.test('commands of operators use the same database', async (t) => {
    const listed = await cidermill(process.env, data, 'admin', 'org', 'list', '--data', data);
    t.equal(listed.code, 0, listed.stderr);
    t.match(listed.stdout, /Apple Press/);
    const copied = await cidermill(process.env, data, 'admin', 'backup', join(data, 'copy.db'), '--data', data);
    t.not(copied.code, 0);
    t.match(copied.stderr, /on a server of PostgreSQL: back it up there/);
    t.notOk(existsSync(join(data, 'copy.db')));
  });

  await t.test('and has everything after a restart', async (t) => {
    await service.stop();
    service = await start(data, url);
    t.match(await call('GET', `/builds/${id}`), { status: 200, body: { id, status: 'queued' } });
  });
});

t.test('while the server is away the service says so, and goes on afterwards', async (t) => {
  const cable = await startPostgresCable(t, await createUrl());
  const data = folder(t);
  const service = await start(data, cable.url);
  t.teardown(() => service.stop());
  const key = await createKey(t, data, cable.url);
  const ready = async () => (await fetch(`${service.siteUrl}/readyz`)).status;
  await until(async () => (await ready()) === 200, 'it is ready');
  cable.cut();
  t.equal(await ready(), 503);
  const answer = await fetch(`${service.baseUrl}/status`, { headers: { authorization: `Bearer ${key}` } });
  t.equal(answer.status, 503);
  t.match(await answer.json(), { error: 'database_unavailable', error_detail: { retryable: true, retry_after_s: 5 } });
  const health = await (await fetch(`${service.siteUrl}/healthz`)).text();
  t.match(health, /^degraded: health_check: .*the database does not answer$/m);
  await cable.join();
  await until(async () => (await ready()) === 200, 'it is ready again');
});

t.test('a lock that is released while it is taken again is free', async (t) => {
  const url = await createUrl();
  const cable = await startPostgresCable(t, url);
  const lock = await lockDatabase(cable.url, { onLost: () => undefined, patienceMs: 0 });
  const before = cable.came();
  const { open, opened: opening } = gate();
  cable.admit = () => opening.then(() => true);
  await endSessions(url);
  await until(() => cable.came() > before, 'it connects again');
  const released = lock.release();
  open();
  await released;
  await until(() => cable.open() === 0, 'its connection is closed', 10_000);
  const next = await lockDatabase(url, { onLost: () => undefined, patienceMs: 0 });
  await next.release();
});

t.test('a service whose lock another one has taken meanwhile is told so once', async (t) => {
  const url = await createUrl();
  const lost: Error[] = [];
  const first = await lockDatabase(url, { onLost: (error) => void lost.push(error), patienceMs: 0 });
  t.teardown(() => first.release());
  const [other, admin] = [new pg.Client(url), new pg.Client(url)];
  for (const client of [other, admin]) {
    await client.connect();
    t.teardown(() => client.end());
  }
  // It waits in the server, which gives it the lock before anybody who asks later.
  const taken = other.query('SELECT pg_advisory_lock($1)', [DATABASE_LOCK]);
  await until(async () => {
    const { rows } = await admin.query(
      `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
    );
    return rows[0].n === 1;
  }, 'the other waits');
  await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'cidermill lock' AND datname = current_database()`);
  await taken;
  await until(() => lost.length > 0, 'it is told');
  t.match(lost, [{ message: 'another service uses this database' }]);
});

t.test('a database that cannot be used is named without its password', async (t) => {
  const data = folder(t);
  for (const [url, message] of [
    ['postgres://user:sesame-open@127.0.0.1:1/mill', /^cannot use the database mill on 127\.0\.0\.1: .*ECONNREFUSED/],
    [
      (await createUrl()).replace(/\/t\w+\?/, '/missing?'),
      /^cannot use the database missing on .*: database "missing" does not exist$/,
    ],
  ] as const) {
    const error = await start(data, url).then(
      (service) => service.stop(),
      (thrown: Error) => thrown,
    );
    t.ok(error instanceof Error && error.name === 'StartError', String(error));
    t.match(String((error as Error).message), message);
    t.notMatch(String((error as Error).message), /sesame/);
  }
  for (const wrong of ['mysql://h/d', 'postgres://user:sesame-open@h', 'sesame-open']) {
    const error: unknown = await start(data, wrong).catch((thrown: unknown) => thrown);
    t.ok(error instanceof ConfigError, String(error));
    t.match((error as ConfigError).problems, [/^CIDERMILL_DATABASE_URL: expected postgres:/]);
    t.notMatch(String((error as ConfigError).problems), /sesame/);
  }
});
