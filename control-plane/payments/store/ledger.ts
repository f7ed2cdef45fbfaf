// Every won that moved, once: positive when it came, negative when it went back. Rows are only ever added.

import { int } from '../../platform/domain/fields.js';
import { table } from '../../platform/store/table.js';
import { ledgerFields } from '../domain/ledger.js';

export const ledger = table('ledger', ledgerFields, { entryId: int().assigned });

/** False when the entry already exists. */
export const insertLedgerEntry = ledger.inserter({ onConflict: 'ON CONFLICT (reference) DO NOTHING' });
