// The database of a test on PostgreSQL: with `TEST_POSTGRES`, the address of a cluster that the test runner has started.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import { openPostgres } from '../../control-plane/platform/store/postgres/postgres.js';
import type { Store } from '../../control-plane/platform/store/sql.js';

const { TEST_POSTGRES } = process.env;

export const onPostgres = (): boolean => TEST_POSTGRES !== undefined;

const urlOf = (database: string) => (TEST_POSTGRES ?? '').replace('/postgres?', `/${database}?`);

let template: Promise<string> | undefined;

/** Opens the database of a data folder; a folder has the same one again. */
export async function openTestDatabase(data: string): Promise<Store> {
  template ??= makeTemplate();
  const name = `d${createHash('sha256').update(data).digest('hex').slice(0, 24)}`;
  const from = await template;
  await asAdmin(async (admin) => {
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await admin.query(`CREATE DATABASE ${name} TEMPLATE ${from}`);
  });
  // For `admin` without a running service.
  process.env.CIDERMILL_DATABASE_URL = urlOf(name).replace('@/', '@localhost/');
  return openPostgres(urlOf(name), { connections: 3 });
}

export async function dropTestDatabase(data: string): Promise<void> {
  const name = `d${createHash('sha256').update(data).digest('hex').slice(0, 24)}`;
  delete process.env.CIDERMILL_DATABASE_URL;
  await asAdmin((admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
}

/** Runs a statement outside of a transaction, such as VACUUM. */
export async function asOwner(data: string, statement: string): Promise<void> {
  const client = new pg.Client(urlOf(`d${createHash('sha256').update(data).digest('hex').slice(0, 24)}`));
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function makeTemplate(): Promise<string> {
  const name = `template_${process.pid}`;
  await asAdmin((admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE template0`));
  const store = await openPostgres(urlOf(name), { connections: 1 });
  await migrate(store, migrations, 0);
  await store.close();
  return name;
}

async function asAdmin(work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client(urlOf('postgres'));
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
