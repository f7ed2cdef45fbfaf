// The INSERT and UPDATE statements of a table, with their parameters.
import type { AnyField, Fields } from '../domain/fields.js';
import { shapeOf } from './row-shape.js';
import type { SqlParams, SqlValue } from './sql.js';
import { encode, quoted } from './table-values.js';

export interface InsertOptions<Name extends string> {
  /** SQL instead of a value; it can use the other values, such as `:createdAt`. */
  readonly computed?: { readonly [K in Name]?: string };
  /** The row is inserted only if this condition holds. */
  readonly where?: string;
  /** `ON CONFLICT …` */
  readonly onConflict?: string;
}

type Values = Readonly<Record<string, unknown>>;

/** The record of an inserted row: as it was given, with initial values and those that the database has assigned. */
export function completerOf(fields: Fields): (given: Values, assigned: Values) => Record<string, unknown> {
  const described = Object.entries(fields);
  const shape = shapeOf<unknown>(Object.keys(fields));
  return (given, assigned) => {
    const record = shape();
    for (const [key, { origin, initial }] of described) {
      record[key] = origin === 'assigned' ? assigned[key] : given[key] === undefined ? initial : given[key];
    }
    return record;
  };
}

/**
 * The INSERT of values: its text is made once for each set of fields that are given another value than their initial
 * one. Initial values stand in the text, since each parameter costs about as much as a column that is read.
 */
export function insertsOf(name: string, all: Fields, options: InsertOptions<string> = {}) {
  const { computed = {}, where, onConflict = '' } = options;
  const fields = Object.entries(all).filter(([, { origin }]) => origin !== 'assigned');
  const given = fields.filter(([key, { origin }]) => origin === 'given' && !(key in computed));
  const optional = fields.filter(([key, { origin }]) => origin === 'initial' && !(key in computed));
  const plan = (more: typeof optional) => {
    const bound = [...given, ...more];
    const names = new Set(bound.map(([key]) => key));
    const value = ([key, field]: [string, AnyField]) =>
      computed[key] ?? (names.has(key) ? `:${key}` : literal(encode(field, field.initial)));
    const values = fields.map(value).join(', ');
    const rows = where === undefined ? `VALUES (${values})` : `SELECT ${values} WHERE ${where}`;
    const columns = fields.map(([key]) => quoted(key)).join(', ');
    const sql = `INSERT INTO ${name} (${columns}) ${rows} ${onConflict}`;
    return { sql, bound, shape: shapeOf<SqlValue>(bound.map(([key]) => key)) };
  };
  const plans = new Map<string, ReturnType<typeof plan>>();
  return (values: Values): { sql: string; params: SqlParams } => {
    const more = optional.filter(([key]) => values[key] !== undefined);
    const id = more.map(([key]) => key).join();
    const { sql, bound, shape } = plans.get(id) ?? plan(more);
    if (!plans.has(id)) plans.set(id, { sql, bound, shape });
    const params = shape();
    for (const [key, field] of bound) params[key] = encode(field, values[key]);
    return { sql, params };
  };
}

function literal(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  throw new Error('bytes cannot be an initial value');
}

interface Plan {
  readonly sql: string;
  /** Parameters in the order of the values. */
  readonly bound: readonly (readonly [param: string, key: string, field: AnyField])[];
}

/** Updates by equality of columns. The text is made once for each set of columns. */
export function updatesOf(name: string, all: Fields) {
  const plans = new Map<string, Plan>();
  const plan = (where: readonly string[], changes: readonly string[], plus: readonly string[]): Plan => {
    const id = `${where} ${changes} ${plus}`;
    const found = plans.get(id);
    if (found) return found;
    if (where.length === 0) throw new Error(`an update of ${name} without a condition`);
    const bound: [string, string, AnyField][] = [];
    const bind = (prefix: string, key: string) => {
      const field = all[key];
      if (!field) throw new Error(`${name} has no column for ${key}`);
      bound.push([`${prefix}${key}`, key, field]);
      return `:${prefix}${key}`;
    };
    const conditions = where.map((key) => {
      const same = all[key]?.nullable ? 'IS NOT DISTINCT FROM' : '=';
      return `${quoted(key)} ${same} ${bind('where_', key)}`;
    });
    const set = [
      ...changes.map((key) => `${quoted(key)} = ${bind('', key)}`),
      ...plus.map((key) => `${quoted(key)} = ${quoted(key)} + ${bind('plus_', key)}`),
    ];
    const made = { sql: `UPDATE ${name} SET ${set.join(', ')} WHERE ${conditions.join(' AND ')}`, bound };
    plans.set(id, made);
    return made;
  };

  return (where: Values, changes: Values, plus: Values): { sql: string; params: SqlParams } => {
    const { sql, bound } = plan(Object.keys(where), Object.keys(changes), Object.keys(plus));
    const values = [...Object.values(where), ...Object.values(changes), ...Object.values(plus)];
    const params: Record<string, SqlValue> = {};
    bound.forEach(([param, , field], i) => {
      params[param] = encode(field, values[i]);
    });
    return { sql, params };
  };
}
