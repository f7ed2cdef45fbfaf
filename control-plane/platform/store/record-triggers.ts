// Triggers that keep `records_bytes` of the storage ledger, made from the table of records. They are no part of any
// migration: they are removed before migrations run and made again afterwards, so that a migration that recreates a
// table cannot lose them, and a changed table of records takes effect with the next start.
import { writeMeta } from './meta.js';
import { bytesOfColumns, countedTables, ROW_BYTES } from './record-tables.js';
import { runStatements } from './run-statements.js';
import type { Dialect, Queries, Transaction } from './sql.js';

/** In `meta`: the ledger does not hold rows written before the triggers; emptied by the first recount. */
export const RECORDS_UNCOUNTED = 'records_uncounted';

export const YES = 'yes';

/** The migration that makes the counted tables. */
export const RECORDS_SINCE = 65;

const PREFIX = 'records_of_';

interface Change {
  readonly table: string;
  /** What makes the row count: `INSERT`, or `UPDATE OF` columns. */
  readonly event: string;
  readonly row: 'NEW' | 'OLD';
  readonly condition: string;
  /** SQL of the bytes to add. */
  readonly bytes: string;
}

/** Returns the changes of counted tables, by the names of their triggers. */
function changesToCount(): [name: string, change: Change][] {
  return countedTables.flatMap(({ table, columns }) => {
    const change = (event: string, row: 'NEW' | 'OLD', bytes: string, when = ''): [string, Change] => {
      const name = `${PREFIX}${table}_${event.split(' ', 1)[0]?.toLowerCase()}`;
      return [name, { table, event, row, bytes, condition: `${row}.account_id IS NOT NULL${when}` }];
    };
    const before = bytesOfColumns(columns, 'OLD.');
    const after = bytesOfColumns(columns, 'NEW.');
    const names = columns.map((name) => `"${name}"`).join(', ');
    return [
      change('INSERT', 'NEW', `${ROW_BYTES} + ${after}`),
      change('DELETE', 'OLD', `-(${ROW_BYTES} + ${before})`),
      ...(columns.length === 0
        ? []
        : [change(`UPDATE OF ${names}`, 'NEW', `(${after}) - (${before})`, ` AND ${after} <> ${before}`)]),
    ];
  });
}

/** Returns the triggers by name. */
export function recordTriggers(dialect: Dialect): ReadonlyMap<string, string> {
  const text = { sqlite: sqliteTrigger, postgres: postgresTrigger }[dialect];
  return new Map(changesToCount().map(([name, change]) => [name, text(name, change)]));
}

const sqliteTrigger = (name: string, { table, event, row, condition, bytes }: Change) =>
  `CREATE TRIGGER ${name} AFTER ${event} ON "${table}" WHEN ${condition} BEGIN
  INSERT INTO account_usage (account_id, records_bytes) VALUES (${row}.account_id, ${bytes})
  ON CONFLICT (account_id) DO UPDATE SET records_bytes = records_bytes + excluded.records_bytes;
END`;

const postgresTrigger = (name: string, { table, event, row, condition, bytes }: Change) =>
  `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
  INSERT INTO account_usage (account_id, records_bytes) VALUES (${row}.account_id, ${bytes})
  ON CONFLICT (account_id) DO UPDATE SET records_bytes = account_usage.records_bytes + excluded.records_bytes;
  RETURN NULL;
END$$;
CREATE TRIGGER ${name} AFTER ${event} ON "${table}" FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION ${name}()`;

/** Returns the triggers that the database has. */
export async function existingRecordTriggers(q: Queries, dialect: Dialect): Promise<ReadonlyMap<string, string>> {
  const rows = await q.all<{ name: string; sql: string }>(LISTS[dialect]);
  return new Map(rows.map(({ name, sql }) => [name, sql]));
}

/** PostgreSQL does not keep the text of a trigger: it is its comment. */
const LISTS: Readonly<Record<Dialect, string>> = {
  sqlite: `SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, ${PREFIX.length}) = '${PREFIX}'`,
  postgres: `SELECT tgname::text AS name, COALESCE(obj_description(oid, 'pg_trigger'), '') AS sql FROM pg_trigger
    WHERE NOT tgisinternal AND substr(tgname::text, 1, ${PREFIX.length}) = '${PREFIX}'
      AND (SELECT relnamespace FROM pg_class WHERE oid = tgrelid) = current_schema()::regnamespace`,
};

export async function dropRecordTriggers(tx: Transaction, dialect: Dialect): Promise<void> {
  for (const name of (await existingRecordTriggers(tx, dialect)).keys()) {
    await tx.run(dialect === 'sqlite' ? `DROP TRIGGER ${name}` : `DROP FUNCTION ${name}() CASCADE`);
  }
}

/** Makes the triggers as declared. If any was missing or different, the rows must be counted again. */
export async function putRecordTriggers(tx: Transaction, dialect: Dialect): Promise<void> {
  const declared = recordTriggers(dialect);
  const existing = await existingRecordTriggers(tx, dialect);
  const same = existing.size === declared.size && [...declared].every(([name, sql]) => existing.get(name) === sql);
  if (same) return;
  await dropRecordTriggers(tx, dialect);
  for (const [name, { table }] of changesToCount()) {
    const sql = declared.get(name) ?? '';
    await runStatements(tx, sql);
    if (dialect === 'postgres') {
      await tx.run(`COMMENT ON TRIGGER ${name} ON "${table}" IS '${sql.replaceAll("'", "''")}'`);
    }
  }
  await writeMeta(tx, RECORDS_UNCOUNTED, YES);
}
