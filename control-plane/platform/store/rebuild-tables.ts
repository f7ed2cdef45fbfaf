// Adds constraints to tables, for migrations. SQLite cannot add them in place: the table is recreated with the
// constraints, and its rows are copied.
import type { Queries } from './sql.js';

/** A foreign key within an account: column, referenced table, referenced column. */
export type AccountReference = readonly [column: string, parent: string, key: string];

export interface AddedConstraints {
  /** Adds a foreign key from `account_id` to organizations, if it is missing. */
  readonly account?: true;
  /** References to rows of the same account; they replace references that leave out the account. */
  readonly references?: readonly AccountReference[];
  /** Columns that are unique together with the account, for others to refer to. */
  readonly unique?: readonly string[];
}

interface Existing {
  readonly sql: string;
  /** SQL of its indexes and triggers. */
  readonly others: readonly string[];
  readonly parents: readonly string[];
}

/**
 * Returns the statements that add the constraints. Tables that refer to a changed one are recreated as well: the copies
 * refer to each other while they are filled, parents first, so the references are checked row by row, and no row ever
 * refers to a missing table.
 *
 * @param without names of triggers that are not created again
 */
export async function rebuildTables(
  q: Queries,
  added: Readonly<Record<string, AddedConstraints>>,
  without: (trigger: string) => boolean,
): Promise<string[]> {
  const tables = await existingTables(q, without);
  const names = withChildren(Object.keys(added), tables);
  const ordered = parentsFirst(names, tables, added);
  const copies = ordered.map((name) => copyOf(name, tables, added[name] ?? {}, names));
  return [
    ...copies,
    ...ordered.map((name) => `INSERT INTO new_${name} SELECT * FROM ${name}`),
    ...[...ordered].reverse().map((name) => `DROP TABLE ${name}`),
    ...ordered.map((name) => `ALTER TABLE new_${name} RENAME TO ${name}`),
    ...ordered.flatMap((name) => tables.get(name)?.others ?? []),
  ];
}

async function existingTables(
  q: Queries,
  without: (trigger: string) => boolean,
): Promise<Map<string, Existing>> {
  const rows = await q.all<{ type: string; name: string; tbl_name: string; sql: string }>(
    `SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'`,
  );
  const references = await q.all<{ child: string; parent: string }>(
    `SELECT DISTINCT m.name AS child, k."table" AS parent FROM sqlite_master m, pragma_foreign_key_list(m.name) k
     WHERE m.type = 'table'`,
  );
  const tables = rows.filter(({ type }) => type === 'table');
  return new Map(
    tables.map(({ name, sql }) => [
      name,
      {
        sql,
        others: rows
          .filter((row) => row.type !== 'table' && row.tbl_name === name)
          .filter((row) => row.type !== 'trigger' || !without(row.name))
          .map((row) => row.sql),
        parents: references.filter(({ child }) => child === name).map(({ parent }) => parent),
      },
    ]),
  );
}

/** The tables, and all that refer to one of them, directly or not. */
function withChildren(names: readonly string[], tables: Map<string, Existing>): Set<string> {
  const all = new Set(names);
  for (let before = -1; before !== all.size; ) {
    before = all.size;
    for (const [name, { parents }] of tables) if (parents.some((parent) => all.has(parent))) all.add(name);
  }
  return all;
}

function parentsFirst(
  names: ReadonlySet<string>,
  tables: Map<string, Existing>,
  added: Readonly<Record<string, AddedConstraints>>,
): string[] {
  const ordered = new Set<string>();
  const visit = (name: string) => {
    if (ordered.has(name) || !names.has(name)) return;
    const more = (added[name]?.references ?? []).map(([, parent]) => parent);
    for (const parent of [...(tables.get(name)?.parents ?? []), ...more]) if (parent !== name) visit(parent);
    ordered.add(name);
  };
  for (const name of names) visit(name);
  return [...ordered];
}

function copyOf(
  name: string,
  tables: Map<string, Existing>,
  { account, references = [], unique = [] }: AddedConstraints,
  names: ReadonlySet<string>,
): string {
  const existing = tables.get(name);
  if (!existing) throw new Error(`there is no table ${name}`);
  const constraints = [
    ...(account && !existing.parents.includes('organizations')
      ? ['FOREIGN KEY (account_id) REFERENCES organizations (id)']
      : []),
    ...references.map(
      ([column, parent, key]) =>
        `FOREIGN KEY (account_id, ${column}) REFERENCES ${parent} (account_id, ${key})`,
    ),
    ...unique.map((column) => `UNIQUE (account_id, ${column})`),
  ];
  let sql = existing.sql.replace(/^CREATE TABLE "?\w+"?/, `CREATE TABLE new_${name}`);
  for (const [, parent, key] of references) {
    sql = sql.replace(new RegExp(`\\s+REFERENCES "?${parent}"? ?\\(${key}\\)`, 'g'), '');
  }
  sql = sql.replace(/\)\s*$/, [...['', ...constraints].join(',\n      '), ')'].join(''));
  return sql.replace(/REFERENCES "?(\w+)"?/g, (text, parent: string) =>
    names.has(parent) ? `REFERENCES new_${parent}` : text,
  );
}
