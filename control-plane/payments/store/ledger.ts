// Every won that moved, once: positive when it came, negative when it went back. Rows are only ever added.

import { int } from '../../platform/domain/fields.js';
import type { Queries } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type LedgerEntry, ledgerFields } from '../domain/ledger.js';

export const ledger = table('ledger', ledgerFields, { entryId: int().assigned });

/** False when the entry already exists. */
export const insertLedgerEntry = ledger.inserter({ onConflict: 'ON CONFLICT (reference) DO NOTHING' });

/** Of one order, in chronological order. */
export function readLedger(q: Queries, orderNo: string): Promise<LedgerEntry[]> {
  return ledger.all(q, 'WHERE order_no = :orderNo ORDER BY entry_id', { orderNo });
}
