// Named parameters of the store port (`:name`) as PostgreSQL's numbered ones.
import type { SqlParams, SqlValue } from '../sql.js';

/** Text between parameters that may hold colons: strings, quoted names, comments, casts. */
const SKIPPED_OR_PARAMETER =
  /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|::|:([A-Za-z_]\w*)/g;

type Part = string | { readonly param: string };

/** A statement for parameters of certain types. */
export interface Numbered {
  readonly text: string;
  /** Parameters in the order of their numbers. */
  readonly names: readonly string[];
  /** Of the prepared statement. */
  readonly name: string;
}

/**
 * Returns a function that numbers a statement's parameters. Each is cast to the type of its value, because PostgreSQL takes
 * the type from the first use, which may not tell it (`:since IS NULL OR at >= :since`); null stands in the text. Texts are
 * compared by code point, as SQLite does. Each statement is parsed once, and written once for each combination of types.
 *
 * @example numbering()('SELECT :a + 1', { a: 2 }) // { text: 'SELECT $1::bigint + 1', names: ['a'], name: 's1' }
 */
export function numbering(): (sql: string, params: SqlParams) => Numbered {
  const parsed = new Map<
    string,
    { parts: readonly Part[]; names: readonly string[]; written: Map<string, Numbered> }
  >();
  let count = 0;
  return (sql, params) => {
    let found = parsed.get(sql);
    if (!found) {
      const parts = partsOf(sql);
      const names = [...new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.param])))];
      found = { parts, names, written: new Map() };
      parsed.set(sql, found);
    }
    const types = found.names.map((name) => typeOf(name, params[name]));
    const id = types.join();
    let numbered = found.written.get(id);
    if (!numbered) {
      const bound = found.names.filter((_, i) => types[i] !== NULL);
      const written = new Map(
        found.names.map((name, i) => [name, types[i] === NULL ? NULL : `$${bound.indexOf(name) + 1}${types[i]}`]),
      );
      const text = found.parts.map((part) => (typeof part === 'string' ? part : written.get(part.param))).join('');
      numbered = { text, names: bound, name: `s${++count}` };
      found.written.set(id, numbered);
    }
    return numbered;
  };
}

const NULL = 'NULL';

function typeOf(name: string, value: SqlValue | undefined): string {
  if (value === undefined) throw new RangeError(`Missing named parameter "${name}"`);
  if (value === null) return NULL;
  if (typeof value === 'string') return '::text COLLATE "C"';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? '::bigint' : '::double precision';
  return '::bytea';
}

function partsOf(sql: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const found of sql.matchAll(SKIPPED_OR_PARAMETER)) {
    const param = found[2];
    if (param === undefined) continue;
    parts.push(sql.slice(from, found.index), { param });
    from = found.index + found[0].length;
  }
  parts.push(sql.slice(from));
  return parts;
}
