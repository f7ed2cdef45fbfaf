// Payments and refunds of all accounts that are not settled, for operators.
import type { Queries } from '../../platform/store/sql.js';
import type { OrganizationRef } from './fleet.js';

export interface ListedPayment {
  /** payment: the provider's answer is missing or unexpected. refund: the provider has not sent the money back. */
  readonly kind: 'payment' | 'refund';
  readonly id: string;
  /** What is paid. */
  readonly of: 'order' | 'top_up';
  readonly orderNo: string;
  readonly organization: OrganizationRef;
  readonly provider: string;
  /** Of the payment or refund; over_returned: of a payment of which more was returned than was charged. */
  readonly status: string;
  /** Null: the whole charge. */
  readonly amountWon: number | null;
  readonly returnedWon: number;
  readonly attempts: number;
  readonly refusals: number;
  readonly reason: string | null;
  readonly error: string | null;
  readonly createdAt: number;
  /** Null: nothing more is tried; an operator must act. */
  readonly nextAttemptAt: number | null;
}

interface Row {
  kind: ListedPayment['kind'];
  id: string;
  of_kind: ListedPayment['of'];
  order_no: string;
  provider: string;
  status: string;
  amount_won: number | null;
  returned_won: number;
  attempts: number;
  refusals: number;
  reason: string | null;
  error: string | null;
  created_at: number;
  next_at: number | null;
  org_id: string;
  slug: string;
  org_name: string;
}

const isOpen = (id: string) =>
  `EXISTS (SELECT 1 FROM manual_settlements s WHERE s.id = ${id} AND s.settled_at IS NULL)`;
const OVER_RETURNED = isOpen('p.order_no');
// A payment is open while the provider was asked and has not answered, or holds money that the order does not accept. A
// payment of which more was returned than was charged, and a refused refund, stay until they are settled.
const PAYMENTS = `
  SELECT 'payment' AS kind, p.order_no AS id, p.kind AS of_kind, p.order_no, p.provider,
    CASE WHEN ${OVER_RETURNED} THEN 'over_returned' ELSE p.status END AS status, p.amount_won,
    p.cancelled_won AS returned_won, p.attempts, 0 AS refusals, NULL AS reason, p.failure_code AS error, p.created_at,
    p.fetch_at AS next_at, p.account_id
  FROM payments p
  WHERE p.status = 'confirming' OR (p.status IN ('late', 'failed') AND p.cancelled_won < p.amount_won)
    OR ${OVER_RETURNED}`;
const REFUNDS = `
  SELECT 'refund' AS kind, c.cancellation_id AS id, COALESCE(p.kind, 'order') AS of_kind, c.order_no, COALESCE(p.provider, '') AS provider, c.status,
    c.amount_won, 0 AS returned_won, c.attempts, c.refusals, c.reason, c.last_error AS error, c.created_at,
    c.next_attempt_at AS next_at, c.account_id
  FROM payment_cancellations c LEFT JOIN payments p ON p.order_no = c.order_no`;

const toListed = (row: Row): ListedPayment => ({
  kind: row.kind,
  id: row.id,
  of: row.of_kind,
  orderNo: row.order_no,
  provider: row.provider,
  status: row.status,
  amountWon: row.amount_won,
  returnedWon: row.returned_won,
  attempts: row.attempts,
  refusals: row.refusals,
  reason: row.reason,
  error: row.error,
  createdAt: row.created_at,
  nextAttemptAt: row.next_at,
  organization: { orgId: row.org_id, slug: row.slug, name: row.org_name },
});

/** Returns what is not settled, the newest first. */
export async function listUnsettled(
  q: Queries,
  page: { readonly before: { readonly at: number; readonly id: string } | null; readonly limit: number },
): Promise<ListedPayment[]> {
  const { before, limit } = page;
  const rows = await q.all<Row>(
    `SELECT u.*, a.org_id, a.slug, a.name AS org_name
     FROM (${PAYMENTS} UNION ALL ${REFUNDS} WHERE c.status = 'open' OR ${isOpen('c.cancellation_id')}) u
       JOIN organizations a ON a.id = u.account_id
     ${before === null ? '' : 'WHERE (u.created_at, u.id) < (:at, :id)'}
     ORDER BY u.created_at DESC, u.id DESC LIMIT :limit`,
    { limit, ...before },
  );
  return rows.map(toListed);
}

/** Returns all refunds of an order, oldest first. */
export async function refundsOf(q: Queries, orderNo: string): Promise<ListedPayment[]> {
  const rows = await q.all<Row>(
    `SELECT u.*, a.org_id, a.slug, a.name AS org_name
     FROM (${REFUNDS} WHERE c.order_no = :orderNo) u JOIN organizations a ON a.id = u.account_id
     ORDER BY u.created_at, u.id LIMIT 100`,
    { orderNo },
  );
  return rows.map(toListed);
}

export interface OrderDetail {
  readonly provider: string | null;
  readonly method: string | null;
  readonly receiptUrl: string | null;
  readonly rentalIds: readonly string[];
  /** Of these rentals, in their order. */
  readonly names: readonly string[];
}

export async function readOrderDetail(q: Queries, orderNo: string): Promise<OrderDetail> {
  const payment = await q.get<{ provider: string; method: string | null; receipt_url: string | null }>(
    'SELECT provider, method, receipt_url FROM payments WHERE order_no = :orderNo',
    { orderNo },
  );
  const rentals = await q.all<{ rental_id: string; name: string }>(
    `SELECT r.rental_id, m.name FROM rentals r JOIN macs m ON m.rental_id = r.rental_id
     WHERE r.order_no = :orderNo ORDER BY r.rental_id LIMIT 100`,
    { orderNo },
  );
  return {
    provider: payment?.provider ?? null,
    method: payment?.method ?? null,
    receiptUrl: payment?.receipt_url ?? null,
    rentalIds: rentals.map((row) => row.rental_id),
    names: rentals.map((row) => row.name),
  };
}
