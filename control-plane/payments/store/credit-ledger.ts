// Every change of an account's credit, once. Rows are only added; each has the balance after it.

import { int, type NewOf } from '../../platform/domain/fields.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type CreditEntry, creditEntryFields } from '../domain/credit.js';

export const creditLedger = table('credit_ledger', creditEntryFields, { entryId: int().assigned });

const withId = creditLedger.and({ entryId: ['credit_ledger.entry_id', int()] });

export async function readBalance(q: Queries, accountId: number): Promise<number> {
  const last = await creditLedger
    .pick('balanceMicroUsd')
    .get(q, 'WHERE account_id = :accountId ORDER BY entry_id DESC LIMIT 1', { accountId });
  return last?.balanceMicroUsd ?? 0;
}

/** Returns what open withdrawals have reserved. */
export const readReserved = (q: Queries, accountId: number): Promise<number> =>
  readCount(
    q,
    `SELECT COALESCE(SUM(credit_micro_usd), 0) AS sum FROM payment_cancellations
     WHERE account_id = :accountId AND status = 'open' AND credit_micro_usd IS NOT NULL`,
    { accountId },
  );

/** Returns the credit that is neither spent nor reserved; negative after a chargeback of spent credit. */
export const readAvailable = async (q: Queries, accountId: number): Promise<number> =>
  (await readBalance(q, accountId)) - (await readReserved(q, accountId));

const insert = creditLedger.inserter({ onConflict: 'ON CONFLICT (reference) DO NOTHING' });

/** Returns false when the cause has been entered before. */
export async function insertCreditEntry(
  tx: Transaction,
  entry: Omit<NewOf<typeof creditEntryFields>, 'balanceMicroUsd'>,
): Promise<boolean> {
  const balanceMicroUsd = (await readBalance(tx, entry.accountId)) + entry.microUsd;
  return insert(tx, { ...entry, balanceMicroUsd });
}

/** Returns the won of a top-up that credit has been taken for. */
export const readTakenWon = (q: Queries, orderId: string): Promise<number> =>
  readCount(q, 'SELECT COALESCE(-SUM(krw), 0) AS won FROM credit_ledger WHERE order_id = :orderId AND krw < 0', {
    orderId,
  });

/** Newest first. */
export function listCreditEntries(
  q: Queries,
  page: { accountId: number; before: number | null; limit: number },
): Promise<CreditEntry[]> {
  const { accountId, before, limit } = page;
  return withId.all(
    q,
    `WHERE account_id = :accountId ${before === null ? '' : 'AND entry_id < :before'}
     ORDER BY entry_id DESC LIMIT :limit`,
    { accountId, limit, ...(before === null ? {} : { before }) },
  );
}
