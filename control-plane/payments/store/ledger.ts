// Every won that moved, once: positive when it came, negative when it went back. Rows are only ever added.

import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { LedgerEntry } from '../domain/ledger.js';

interface Row {
  account_id: number;
  order_no: string;
  kind: LedgerEntry['kind'];
  amount_won: number;
  reference: string;
  at: number;
}

/** False when the entry stands there already. */
export async function insertLedgerEntry(tx: Transaction, entry: LedgerEntry): Promise<boolean> {
  const { changes } = await tx.run(
    `INSERT INTO ledger (account_id, order_no, kind, amount_won, reference, at)
     VALUES (:accountId, :orderNo, :kind, :amountWon, :reference, :at) ON CONFLICT (reference) DO NOTHING`,
    { ...entry },
  );
  return changes === 1;
}

/** Of one order, as it happened. */
export async function readLedger(q: Queries, orderNo: string): Promise<LedgerEntry[]> {
  const rows = await q.all<Row>('SELECT * FROM ledger WHERE order_no = :orderNo ORDER BY entry_id', {
    orderNo,
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    orderNo: row.order_no,
    kind: row.kind,
    amountWon: row.amount_won,
    reference: row.reference,
    at: row.at,
  }));
}
