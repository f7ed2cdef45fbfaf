// Queries on one connection of SQLite, with its errors as the store port names them.
import Database from 'better-sqlite3';
import { fixedPlan } from './fixed-plan.js';
import { shapeOf } from './row-shape.js';
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
 * @param before called before each statement runs
 */
export function queriesOn(
  connection: Connection,
  check: (sql: string) => void = () => undefined,
  before: () => unknown = () => undefined,
): Queries {
  const statements = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    let prepared = statements.get(sql);
    if (!prepared) {
      check(sql);
      prepared = prepareRows(connection.prepare(fixedPlan(sql)));
      statements.set(sql, prepared);
    }
    return prepared;
  };
  const guarded = <T>(work: () => T): Promise<T> => {
    try {
      before();
      return Promise.resolve(work());
    } catch (error) {
      return Promise.reject(mapError(error));
    }
  };
  return {
    get: <Row>(sql: string, params: SqlParams = {}) =>
      guarded(() => {
        const { statement, rowOf } = prepare(sql);
        const values = statement.get(params);
        return values && (rowOf(values) as Row);
      }),
    all: <Row>(sql: string, params: SqlParams = {}) =>
      guarded(() => {
        const { statement, rowOf } = prepare(sql);
        return statement.all(params).map(rowOf) as Row[];
      }),
    run: (sql, params = {}) => guarded(() => ({ changes: prepare(sql).statement.run(params).changes })),
  };
}

type Values = readonly unknown[];

interface Prepared {
  readonly statement: Database.Statement<[SqlParams], Values>;
  /** Returns the row of these values, in the order of the columns. */
  rowOf(values: Values): Record<string, unknown>;
}

/** The driver returns arrays: it makes objects of many columns in twice the time. */
function prepareRows(statement: Database.Statement<[SqlParams], Values>): Prepared {
  const names = statement.reader
    ? statement
        .raw(true)
        .columns()
        .map(({ name }) => name)
    : [];
  const shape = shapeOf<unknown>(names);
  const rowOf = (values: Values) => {
    const row = shape();
    for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i];
    return row;
  };
  return { statement, rowOf };
}
