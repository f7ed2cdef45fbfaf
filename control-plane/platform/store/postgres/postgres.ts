// PostgreSQL behind the store port: what SQLite does for one process, for several.

import type { Fence } from '../fence.js';
import type { Store, Transaction } from '../sql.js';
import { patience, readAgain, unavailable } from './availability.js';
import { beginLife } from './commit-outcome.js';
import { oneAtATime, openPool, type PoolOptions, queriesOn } from './connection.js';
import { numbering } from './placeholders.js';
import { createTransactions } from './transactions.js';

/** PostgreSQL 14 is the first with MAX of `ctid`, the place of a row. */
const OLDEST_VERSION = 140_000;

export interface PostgresOptions extends PoolOptions {
  /** How long a query is tried while the server does not answer, ms. */
  readonly waitMs: number;
}

export class PostgresVersionError extends Error {}

export interface PostgresStore extends Store {
  /** From now on no transaction does anything unless the fence holds. */
  fenceBy(fence: Fence): void;
}

/**
 * Connects to a database.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`
 * @throws PostgresVersionError if the server is older than PostgreSQL 14; the client's error if there is no connection
 */
export async function openPostgres(
  url: string,
  { connections = 10, onError = () => undefined, waitMs = 10_000 }: Partial<PostgresOptions> = {},
): Promise<PostgresStore> {
  const pool = openPool(url, { connections, onError });
  try {
    const { rows } = await pool.query(`SELECT current_setting('server_version_num')::int AS version`);
    if (rows[0].version < OLDEST_VERSION) throw new PostgresVersionError('PostgreSQL 14 or newer is needed');
    await beginLife(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const number = numbering();
  const waiting = patience(waitMs);
  const transactions = createTransactions(pool, number, { waiting, waitMs });
  const retried = <T>(read: () => Promise<T>) => readAgain(waiting, read);
  const { transaction, shareBy, fenceBy } = transactions;
  const latestId = async (): Promise<number> =>
    Number((await pool.query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS id')).rows[0].id);
  const reads = queriesOn(pool, number);
  const write = <T>(fn: (tx: Transaction) => Promise<T>) => transaction(fn).catch(unavailable);
  return {
    get: (sql, params) => retried(() => reads.get(sql, params)),
    all: (sql, params) => retried(() => reads.all(sql, params)),
    dialect: 'postgres',
    run: (sql, params) => write((tx) => tx.run(sql, params)),
    transaction: write,
    shareBy,
    fenceBy,
    async snapshot(fn) {
      const client = await retried(() => pool.connect());
      try {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        return await fn(queriesOn(oneAtATime(client), number)).catch(unavailable);
      } finally {
        // Also when the connection is lost: it is not used again.
        const ended = await client.query('ROLLBACK').catch((error: Error) => error);
        client.release(ended instanceof Error);
      }
    },
    // What this process writes has ids too.
    outsideVersion: () => retried(async () => (await latestId()) - transactions.ids()),
    revision: () =>
      retried(async () => (await pool.query('SELECT pg_current_snapshot()::text AS state')).rows[0].state),
    // A commit is answered when it is on the server's disk. A process that was given up no longer does anything for others.
    durable: () => retried(transactions.checkFence),
    failure: () => null,
    backup: () => Promise.reject(new Error('a database of PostgreSQL is copied by pg_dump')),
    async close() {
      await transactions.close();
      await pool.end();
    },
  };
}
