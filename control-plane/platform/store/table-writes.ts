// The INSERT and UPDATE statements of a table, with their parameters.
import type { AnyField, Fields } from '../domain/fields.js';
import type { SqlParams, SqlValue } from './sql.js';
import { encode, quoted } from './table-values.js';

export interface InsertOptions<Name extends string> {
  /** SQL in place of a value; it can name the other values, as `:createdAt`. */
  readonly computed?: { readonly [K in Name]?: string };
  /** Nothing is inserted unless this holds. */
  readonly where?: string;
  /** `ON CONFLICT …` */
  readonly onConflict?: string;
}

/** Names every column but those that the database assigns. */
export function insertText(name: string, all: Fields, options: InsertOptions<string>): string {
  const { computed = {}, where, onConflict = '' } = options;
  const names = Object.keys(all).filter((key) => all[key]?.origin !== 'assigned');
  const values = names.map((key) => computed[key] ?? `:${key}`).join(', ');
  const rows = where === undefined ? `VALUES (${values})` : `SELECT ${values} WHERE ${where}`;
  return `INSERT INTO ${name} (${names.map(quoted).join(', ')}) ${rows} ${onConflict}`;
}

type Values = Readonly<Record<string, unknown>>;

/** The record of an inserted row: as it was given, with initial values and those that the database has assigned. */
export function completerOf(fields: Fields): (given: Values, assigned: Values) => Record<string, unknown> {
  const described = Object.entries(fields);
  return (given, assigned) => {
    const record: Record<string, unknown> = {};
    for (const [key, { origin, initial }] of described) {
      record[key] = origin === 'assigned' ? assigned[key] : given[key] === undefined ? initial : given[key];
    }
    return record;
  };
}

/** The parameters of an INSERT that computes some of the values. */
export function bindingsOf(all: Fields, computed: object = {}): (values: Values) => SqlParams {
  const bound = Object.entries(all).filter(
    ([key, { origin }]) => origin !== 'assigned' && !(key in computed),
  );
  return (values) => {
    const params: Record<string, SqlValue> = {};
    for (const [key, field] of bound) {
      const value = values[key];
      params[key] = encode(field, value === undefined ? field.initial : value);
    }
    return params;
  };
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
