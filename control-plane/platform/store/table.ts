// A table described once, by the fields of its records (`platform/domain/fields.ts`). Texts of SQL are made when the
// program starts, or once for each set of columns. What is not a plain read, insert or update is written out as SQL
// that selects (or returns) the table's `columns`.
import type { AnyField, Fields, NewOf, RecordOf } from '../domain/fields.js';
import type { Queries, SqlParams } from './sql.js';
import { decoderOf, quoted } from './table-values.js';
import { completerOf, type InsertOptions, insertsOf, updatesOf } from './table-writes.js';

/** A list of columns and the records it returns. */
export interface Selection<R> {
  /** For SELECT and RETURNING; each column is called like its field. */
  readonly columns: string;
  /** With columns of joined tables, or other expressions. */
  and<X extends Fields>(
    extra: {
      readonly [K in keyof X]: readonly [sql: string, field: X[K]];
    },
  ): Selection<R & RecordOf<X>>;
  /** @param rest SQL after the table's name: joins, conditions, order */
  all(q: Queries, rest: string, params?: SqlParams): Promise<R[]>;
  /** The first record, or null. */
  get(q: Queries, rest: string, params?: SqlParams): Promise<R | null>;
  /** The same for a whole statement, which has `columns` in it. */
  allOf(q: Queries, sql: string, params?: SqlParams): Promise<R[]>;
  getOf(q: Queries, sql: string, params?: SqlParams): Promise<R | null>;
}

export type Selected<S> = S extends Selection<infer R> ? R : never;

type Name<F extends Fields> = keyof F & string;

export interface Table<F extends Fields, A extends Fields> extends Selection<RecordOf<F>> {
  readonly name: string;
  /** Of every column. */
  readonly fields: A;
  /** Some columns, internal ones too. */
  pick<K extends Name<A>>(...names: K[]): Selection<Pick<RecordOf<A>, K>>;
  /** Returns the record that was written. */
  insert(q: Queries, values: NewOf<A>): Promise<RecordOf<F>>;
  /** Returns an INSERT with conditions, which returns whether a row was inserted or updated. */
  inserter<C extends Name<A> = never>(
    options: InsertOptions<C>,
  ): (q: Queries, values: Omit<NewOf<A>, C>) => Promise<boolean>;
  /** `a = excluded.a, …`, for ON CONFLICT … DO UPDATE SET. */
  excluded(...names: Name<A>[]): string;
  /** Updates the rows with the values `where`; returns how many. */
  update(q: Queries, where: Partial<RecordOf<A>>, changes: Partial<RecordOf<A>>): Promise<number>;
  /**
   * Updates the row with the values `where`; returns the updated record, or null when there is no such row.
   *
   * @param plus is added to numbers
   */
  change(
    q: Queries,
    where: Partial<RecordOf<A>>,
    changes: Partial<RecordOf<A>>,
    plus?: { readonly [K in keyof A]?: number },
  ): Promise<RecordOf<F> | null>;
}

/**
 * @param fields of the records
 * @param internal columns that are not part of the records, only picked, inserted and updated
 * @example
 * export const uploads = table('uploads', uploadFields, { expiresAt: int() });
 * await uploads.get(q, 'WHERE upload_id = :uploadId', { uploadId }); // Upload | null
 * await uploads.update(tx, { uploadId, ready: false }, { ready: true }); // 1, or 0 when it was ready before
 */
export function table<F extends Fields, I extends Fields = Record<never, never>>(
  name: string,
  fields: F,
  internal?: I,
): Table<F, F & I> {
  const all: F & I = Object.assign({}, fields, internal);
  const columns = (names: readonly string[]) =>
    Object.fromEntries(names.map((key) => [key, [`${name}.${quoted(key)}`, all[key] as AnyField] as const]));
  const whole = selection<RecordOf<F>>(name, columns(Object.keys(fields)));
  const update = updatesOf(name, all);
  return {
    ...whole,
    name,
    fields: all,
    pick: (...names) => selection(name, columns(names)),
    insert: inserting(name, fields, all),
    inserter(options) {
      const prepare = insertsOf(name, all, options);
      return async (q, values) => {
        const { sql, params } = prepare(values);
        return (await q.run(sql, params)).changes > 0;
      };
    },
    excluded: (...names) => names.map((key) => `${quoted(key)} = excluded.${quoted(key)}`).join(', '),
    async update(q, where, changes) {
      const { sql, params } = update(where, changes, {});
      return (await q.run(sql, params)).changes;
    },
    change(q, where, changes, plus = {}) {
      const { sql, params } = update(where, changes, plus);
      return whole.getOf(q, `${sql} RETURNING ${whole.columns}`, params);
    },
  };
}

function inserting<F extends Fields, A extends Fields>(name: string, fields: F, all: A) {
  const assigned = Object.keys(all).filter((key) => all[key]?.origin === 'assigned');
  const returned = assigned.map((key) => `${quoted(key)} AS "${key}"`).join(', ');
  const prepare = insertsOf(name, all, { onConflict: returned && `RETURNING ${returned}` });
  const complete = completerOf(fields);
  return async (q: Queries, values: NewOf<A>): Promise<RecordOf<F>> => {
    const { sql, params } = prepare(values);
    const row = returned ? await q.get<Row>(sql, params) : await q.run(sql, params).then(() => undefined);
    return complete(values, row ?? {}) as RecordOf<F>;
  };
}

type Row = Record<string, unknown>;

/** The driver creates an object for each row; booleans and JSON are then decoded in place. */
function selection<R>(
  from: string,
  described: Readonly<Record<string, readonly [sql: string, field: AnyField]>>,
): Selection<R> {
  const all = Object.entries(described);
  const columns = all.map(([key, [sql]]) => `${sql} AS "${key}"`).join(', ');
  const decoders = all.flatMap(([key, [, field]]) => {
    const decode = decoderOf(field);
    return decode ? [[key, decode] as const] : [];
  });
  const record = (row: Row): R => {
    for (const [key, decode] of decoders) row[key] = decode(row[key]);
    return row as R;
  };
  const texts = new Map<string, string>();
  const select = (rest: string): string => {
    const text = texts.get(rest) ?? `SELECT ${columns} FROM ${from} ${rest}`;
    texts.set(rest, text);
    return text;
  };
  const allOf: Selection<R>['allOf'] = async (q, sql, params) => (await q.all<Row>(sql, params)).map(record);
  const getOf: Selection<R>['getOf'] = async (q, sql, params) => {
    const row = await q.get<Row>(sql, params);
    return row ? record(row) : null;
  };
  return {
    columns,
    and: (extra) => selection(from, { ...described, ...extra }),
    all: (q, rest, params) => allOf(q, select(rest), params),
    get: (q, rest, params) => getOf(q, select(rest), params),
    allOf,
    getOf,
  };
}
