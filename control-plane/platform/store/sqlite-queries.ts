// Queries on one connection of SQLite, with its errors as the store port names them.
import Database from 'better-sqlite3';
import { ConstraintError, type Queries, type SqlParams } from './sql.js';

export type Connection = Database.Database;

/** Another connection holds the lock. */
export const isBusy = (error: unknown) => error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

export function mapError(error: unknown): unknown {
  if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) {
    return new ConstraintError(error.message.replace(/^.*failed: /, ''), { cause: error });
  }
  return error;
}

/**
 * Each statement is prepared once.
 *
 * @param check called with each statement before it is prepared; throws to refuse it
 */
export function queriesOn(connection: Connection, check: (sql: string) => void = () => undefined): Queries {
  const statements = new Map<string, Database.Statement>();
  const prepare = (sql: string) => {
    let statement = statements.get(sql);
    if (!statement) {
      check(sql);
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const guarded = <T>(work: () => T): Promise<T> => {
    try {
      return Promise.resolve(work());
    } catch (error) {
      return Promise.reject(mapError(error));
    }
  };
  return {
    get: <Row>(sql: string, params: SqlParams = {}) => guarded(() => prepare(sql).get(params) as Row | undefined),
    all: <Row>(sql: string, params: SqlParams = {}) => guarded(() => prepare(sql).all(params) as Row[]),
    run: (sql, params = {}) => guarded(() => ({ changes: prepare(sql).run(params).changes })),
  };
}
