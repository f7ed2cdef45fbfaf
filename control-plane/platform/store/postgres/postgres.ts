// PostgreSQL behind the store port: what SQLite does for one process, for several.

import type { Store } from '../sql.js';
import { oneAtATime, openPool, type PoolOptions, queriesOn } from './connection.js';
import { numbering } from './placeholders.js';
import { createTransactions } from './transactions.js';

/** 14: `pg_current_snapshot()` and MAX of places of rows. */
const OLDEST_VERSION = 140_000;

export class PostgresVersionError extends Error {}

/**
 * Connects to a database.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`
 * @throws PostgresVersionError if the server is older than PostgreSQL 14; the client's error if there is no connection
 */
export async function openPostgres(
  url: string,
  { connections = 10, onError = () => undefined }: Partial<PoolOptions> = {},
): Promise<Store> {
  const pool = openPool(url, { connections, onError });
  try {
    const { rows } = await pool.query(`SELECT current_setting('server_version_num')::int AS version`);
    if (rows[0].version < OLDEST_VERSION) throw new PostgresVersionError('PostgreSQL 14 or newer is needed');
  } catch (error) {
    await pool.end();
    throw error;
  }
  const number = numbering();
  const transactions = createTransactions(pool, number);
  const { transaction, shareBy } = transactions;
  const latestId = async (): Promise<number> =>
    Number((await pool.query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS id')).rows[0].id);
  return {
    ...queriesOn(pool, number),
    dialect: 'postgres',
    run: (sql, params) => transaction((tx) => tx.run(sql, params)),
    transaction,
    shareBy,
    async snapshot(fn) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        return await fn(queriesOn(oneAtATime(client), number));
      } finally {
        // Also when the connection is lost: it is not used again.
        const ended = await client.query('ROLLBACK').catch((error: Error) => error);
        client.release(ended instanceof Error);
      }
    },
    // What this process writes has ids too.
    outsideVersion: async () => (await latestId()) - transactions.ids(),
    revision: async () => (await pool.query('SELECT pg_current_snapshot()::text AS state')).rows[0].state,
    // A commit is answered when it is on the server's disk.
    durable: async () => undefined,
    failure: () => null,
    backup: () => Promise.reject(new Error('a database of PostgreSQL is copied by pg_dump')),
    async close() {
      await transactions.close();
      await pool.end();
    },
  };
}
