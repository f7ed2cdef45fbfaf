// What tests read of an order's payment in the database.
import { consents } from '../../control-plane/payments/store/consents.js';
import { ledger } from '../../control-plane/payments/store/ledger.js';
import { cancellations } from '../../control-plane/payments/store/payment-cancellations.js';
import type { Queries } from '../../control-plane/platform/store/sql.js';

/** In chronological order, as all of them. */
export const readLedger = (q: Queries, orderNo: string) =>
  ledger.all(q, 'WHERE order_no = :orderNo ORDER BY entry_id', { orderNo });

export const readConsents = (q: Queries, orderNo: string) =>
  consents.all(q, 'WHERE order_no = :orderNo ORDER BY at, user_id', { orderNo });

export const readCancellations = (q: Queries, orderNo: string) =>
  cancellations.all(q, 'WHERE order_no = :orderNo ORDER BY created_at, cancellation_id', { orderNo });
