// Queries on connections of PostgreSQL.
import pg from 'pg';
import type { Queries, SqlParams } from '../sql.js';
import { mapError } from './errors.js';
import type { numbering } from './placeholders.js';
import { storedValue, valueTypes } from './values.js';

/** A statement that takes longer is canceled by the server. */
const STATEMENT_MS = 30_000;
/** A server that has said nothing by then, not even that it has canceled a statement, is gone without closing the connection. */
const SILENCE_MS = STATEMENT_MS + 5_000;
/** The server ends a transaction that does nothing for so long, e.g. of a process that was stopped. */
const IDLE_IN_TRANSACTION_MS = 15_000;
const CONNECT_MS = 5_000;

export interface PoolOptions {
  readonly connections: number;
  /** Called when the server ends a connection that nobody used. */
  readonly onError: (error: Error) => void;
}

export function openPool(url: string, { connections, onError }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    application_name: 'cidermill',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: SILENCE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    types: valueTypes as pg.CustomTypesConfig,
  });
  pool.on('error', onError);
  // One that is in use reports its error to its query, and then once more to nobody.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

interface Connection {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
}

/** A connection runs one query at a time; several that are sent together wait for each other here. */
export function oneAtATime(client: pg.PoolClient): Connection {
  let last: Promise<unknown> = Promise.resolve();
  return {
    query(config) {
      const result = last.then(() => client.query(config));
      // Who has sent it gets the error; the next query runs all the same.
      last = result.catch(() => undefined);
      return result;
    },
  };
}

/** @param before called before each statement runs */
export function queriesOn(
  connection: Connection,
  number: ReturnType<typeof numbering>,
  before: (sql: string) => void = () => undefined,
): Queries {
  const query = async (sql: string, params: SqlParams): Promise<pg.QueryResult> => {
    const { text, names, name } = number(sql, params);
    before(sql);
    try {
      return await connection.query({ text, name, values: names.map((key) => storedValue(params[key])) });
    } catch (error) {
      throw mapError(error);
    }
  };
  return {
    get: async <Row>(sql: string, params: SqlParams = {}) => (await query(sql, params)).rows[0] as Row | undefined,
    all: async <Row>(sql: string, params: SqlParams = {}) => (await query(sql, params)).rows as Row[],
    run: async (sql, params = {}) => ({ changes: (await query(sql, params)).rowCount ?? 0 }),
  };
}
