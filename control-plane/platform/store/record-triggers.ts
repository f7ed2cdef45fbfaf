// Triggers that keep `records_bytes` of the storage ledger, made from the table of records. They are no part of any
// migration: they are removed before migrations run and made again afterwards, so that a migration that recreates a
// table cannot lose them, and a changed table of records takes effect with the next start.
import { writeMeta } from './meta.js';
import { bytesOfColumns, countedTables, ROW_BYTES } from './record-tables.js';
import type { Queries, Transaction } from './sql.js';

/** In `meta`: the ledger does not hold rows written before the triggers; emptied by the first recount. */
export const RECORDS_UNCOUNTED = 'records_uncounted';

export const YES = 'yes';

/** The migration that makes the counted tables. */
export const RECORDS_SINCE = 54;

const PREFIX = 'records_of_';

/** Returns the triggers by name. */
export function recordTriggers(): ReadonlyMap<string, string> {
  return new Map(
    countedTables.flatMap(({ table, columns }) => {
      const trigger = (event: string, when: string, row: string, bytes: string): [string, string] => {
        const name = `${PREFIX}${table}_${event.split(' ', 1)[0]?.toLowerCase()}`;
        return [
          name,
          `CREATE TRIGGER ${name} AFTER ${event} ON "${table}" WHEN ${row}.account_id IS NOT NULL${when} BEGIN
  INSERT INTO account_usage (account_id, records_bytes) VALUES (${row}.account_id, ${bytes})
  ON CONFLICT (account_id) DO UPDATE SET records_bytes = records_bytes + excluded.records_bytes;
END`,
        ];
      };
      const before = bytesOfColumns(columns, 'OLD.');
      const after = bytesOfColumns(columns, 'NEW.');
      const names = columns.map((name) => `"${name}"`).join(', ');
      return [
        trigger('INSERT', '', 'NEW', `${ROW_BYTES} + ${after}`),
        trigger('DELETE', '', 'OLD', `-(${ROW_BYTES} + ${before})`),
        ...(columns.length === 0
          ? []
          : [trigger(`UPDATE OF ${names}`, ` AND ${after} <> ${before}`, 'NEW', `(${after}) - (${before})`)]),
      ];
    }),
  );
}

/** Returns the triggers that the database has. */
export async function existingRecordTriggers(q: Queries): Promise<ReadonlyMap<string, string>> {
  const rows = await q.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, ${PREFIX.length}) = '${PREFIX}'`,
  );
  return new Map(rows.map(({ name, sql }) => [name, sql]));
}

export async function dropRecordTriggers(tx: Transaction): Promise<void> {
  for (const name of (await existingRecordTriggers(tx)).keys()) await tx.run(`DROP TRIGGER ${name}`);
}

/** Makes the triggers as declared. If any was missing or different, the rows must be counted again. */
export async function putRecordTriggers(tx: Transaction): Promise<void> {
  const declared = recordTriggers();
  const existing = await existingRecordTriggers(tx);
  const same = existing.size === declared.size && [...declared].every(([name, sql]) => existing.get(name) === sql);
  if (same) return;
  await dropRecordTriggers(tx);
  for (const sql of declared.values()) await tx.run(sql);
  await writeMeta(tx, RECORDS_UNCOUNTED, YES);
}
