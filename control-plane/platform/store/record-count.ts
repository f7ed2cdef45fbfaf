// Recounts the records of all accounts from the rows behind the ledger, in pages.
import { bytesOfColumns, countedTables, ROW_BYTES } from './record-tables.js';
import type { Dialect, Queries, Transaction } from './sql.js';

interface Page {
  readonly accountId: number;
  readonly bytes: number;
  readonly rows: number;
  readonly last: number | string;
}

/** Where a row is: the order in which a table is read in pages. */
const PLACES = {
  sqlite: { place: 'rowid', after: ':after', last: 'MAX(place)', start: -1 },
  postgres: { place: 'ctid', after: 'CAST(:after AS tid)', last: 'CAST(MAX(place) AS TEXT)', start: '(0,0)' },
} as const;

export interface Counting {
  readonly dialect: Dialect;
  readonly pageRows: number;
  /** Awaited between pages. */
  rest(): Promise<void>;
}

/**
 * Returns the bytes of each account with records.
 *
 * @param q sees one state of the database, so that pages fit together
 */
async function countRecords(q: Queries, { dialect, pageRows, rest }: Counting): Promise<Map<number, number>> {
  const { place, after: from, last, start } = PLACES[dialect];
  const counted = new Map<number, number>();
  for (const { table, columns } of countedTables) {
    const sql = `WITH page AS
      (SELECT ${place} AS place, account_id, ${ROW_BYTES} + ${bytesOfColumns(columns)} AS bytes
       FROM "${table}" WHERE ${place} > ${from} ORDER BY ${place} LIMIT :pageRows)
      SELECT account_id AS "accountId", SUM(bytes) AS bytes, COUNT(*) AS "rows", (SELECT ${last} FROM page) AS last
      FROM page GROUP BY account_id`;
    for (let after: number | string = start; ; ) {
      const found: Page[] = await q.all<Page>(sql, { after, pageRows });
      for (const { accountId, bytes } of found) {
        // Some rows of a table may belong to no account.
        if (accountId !== null) counted.set(accountId, (counted.get(accountId) ?? 0) + bytes);
      }
      if (found.reduce((sum, { rows }) => sum + rows, 0) < pageRows) break;
      after = found[0]?.last ?? after;
      await rest();
    }
  }
  return counted;
}

export interface RecordsDifference {
  readonly accountId: number;
  readonly ledger: number;
  readonly counted: number;
}

/** Returns the accounts whose ledger differs from a recount; `q` must see one state of the database. */
export async function recordsDifferences(q: Queries, counting: Counting): Promise<RecordsDifference[]> {
  const rows = await q.all<{ accountId: number; bytes: number }>(
    'SELECT account_id AS "accountId", records_bytes AS bytes FROM account_usage',
  );
  const ledger = new Map(rows.map(({ accountId, bytes }) => [accountId, bytes]));
  const counted = await countRecords(q, counting);
  return [...new Set([...ledger.keys(), ...counted.keys()])]
    .map((accountId) => ({
      accountId,
      ledger: ledger.get(accountId) ?? 0,
      counted: counted.get(accountId) ?? 0,
    }))
    .filter((row) => row.ledger !== row.counted);
}

/**
 * Corrects the ledger by differences found in an earlier state of the database: what has been written since then has
 * changed the ledger by as much as the rows.
 */
export async function correctRecords(tx: Transaction, differences: readonly RecordsDifference[]): Promise<void> {
  for (const { accountId, ledger, counted } of differences) {
    await tx.run(
      `INSERT INTO account_usage (account_id, records_bytes) VALUES (:accountId, :bytes)
       ON CONFLICT (account_id) DO UPDATE SET records_bytes = account_usage.records_bytes + excluded.records_bytes`,
      { accountId, bytes: counted - ledger },
    );
  }
}
