// Orders and waitlist entries of all accounts, for operators.
import type { Queries } from '../../platform/store/sql.js';
import { type OrganizationColumns, type OrganizationRef, organization } from './fleet.js';

export interface ListedOrder {
  readonly orderNo: string;
  readonly organization: OrganizationRef;
  readonly kind: string;
  readonly status: string;
  readonly tier: string | null;
  readonly hours: number;
  readonly units: number;
  readonly amountWon: number;
  readonly refundedWon: number;
  readonly createdAt: number;
  readonly paidAt: number | null;
  readonly endedAt: number | null;
  readonly endReason: string | null;
  /** When its rentals start, while all are reserved; otherwise null. Of an extension: null. */
  readonly rentalsStartAt: number | null;
  /** When the last of its rentals ended; null: one has not, or there is none. Of an extension: null. */
  readonly rentalsEndedAt: number | null;
  /** Status of its payment; null: nobody has begun to pay. */
  readonly payment: string | null;
}

interface OrderRow extends OrganizationColumns {
  order_no: string;
  kind: string;
  status: string;
  tier: string | null;
  hours: number;
  units: number;
  amount_won: number;
  refunded_won: number;
  created_at: number;
  paid_at: number | null;
  ended_at: number | null;
  end_reason: string | null;
  rentals_start_at: number | null;
  rentals_ended_at: number | null;
  payment: string | null;
}

const RENTALS_START_AT = `(SELECT CASE WHEN SUM(CASE WHEN m.state = 'reserved' THEN 0 ELSE 1 END) = 0 THEN MIN(r.starts_at) END
  FROM rentals r JOIN macs m ON m.rental_id = r.rental_id WHERE r.order_no = o.order_no)`;
const RENTALS_ENDED_AT = `(SELECT CASE WHEN COUNT(*) = COUNT(r.ended_at) THEN MAX(r.ended_at) END
  FROM rentals r WHERE r.order_no = o.order_no)`;

/** Returns the newest first. */
export async function listAllOrders(
  q: Queries,
  page: {
    readonly accountId: number | null;
    readonly status: string | null;
    readonly orderNo: string | null;
    readonly before: { readonly at: number; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<ListedOrder[]> {
  const { accountId, status, orderNo, before, limit } = page;
  const rows = await q.all<OrderRow>(
    `SELECT o.order_no, o.kind, o.status, o.tier, o.hours, o.units, o.amount_won, o.refunded_won, o.created_at,
       o.paid_at, o.ended_at, o.end_reason, p.status AS payment,
       ${RENTALS_START_AT} AS rentals_start_at, ${RENTALS_ENDED_AT} AS rentals_ended_at, a.org_id, a.slug, a.name AS org_name
     FROM orders o JOIN organizations a ON a.id = o.account_id LEFT JOIN payments p ON p.order_no = o.order_no
     WHERE 1 = 1 ${accountId === null ? '' : 'AND o.account_id = :accountId'}
       ${status === null ? '' : 'AND o.status = :status'} ${orderNo === null ? '' : 'AND o.order_no = :orderNo'}
       ${before === null ? '' : 'AND (o.created_at, o.order_no) < (:at, :id)'}
     ORDER BY o.created_at DESC, o.order_no DESC LIMIT :limit`,
    {
      limit,
      ...(accountId === null ? {} : { accountId }),
      ...(status === null ? {} : { status }),
      ...(orderNo === null ? {} : { orderNo }),
      ...before,
    },
  );
  return rows.map((row) => ({
    orderNo: row.order_no,
    organization: organization(row),
    kind: row.kind,
    status: row.status,
    tier: row.tier,
    hours: row.hours,
    units: row.units,
    amountWon: row.amount_won,
    refundedWon: row.refunded_won,
    createdAt: row.created_at,
    paidAt: row.paid_at,
    endedAt: row.ended_at,
    endReason: row.end_reason,
    rentalsStartAt: row.rentals_start_at,
    rentalsEndedAt: row.rentals_ended_at,
    payment: row.payment,
  }));
}

export interface ListedEntry {
  readonly entryId: string;
  readonly seq: number;
  readonly organization: OrganizationRef;
  readonly tier: string;
  readonly units: number;
  readonly status: string;
  readonly createdAt: number;
  readonly notifiedAt: number | null;
}

/** Returns the entries that wait or were notified, in the order in which they are served. */
export async function listWaiting(
  q: Queries,
  page: { readonly tier: string | null; readonly afterSeq: number; readonly limit: number },
): Promise<ListedEntry[]> {
  const rows = await q.all<
    OrganizationColumns & {
      entry_id: string;
      seq: number;
      tier: string;
      units: number;
      status: string;
      created_at: number;
      notified_at: number | null;
    }
  >(
    `SELECT w.entry_id, w.seq, w.tier, w.units, w.status, w.created_at, w.notified_at, a.org_id, a.slug,
       a.name AS org_name
     FROM waitlist w JOIN organizations a ON a.id = w.account_id
     WHERE w.status <> 'cancelled' AND w.seq > :afterSeq AND (:tier IS NULL OR w.tier = :tier)
     ORDER BY w.seq LIMIT :limit`,
    page,
  );
  return rows.map((row) => ({
    entryId: row.entry_id,
    seq: row.seq,
    organization: organization(row),
    tier: row.tier,
    units: row.units,
    status: row.status,
    createdAt: row.created_at,
    notifiedAt: row.notified_at,
  }));
}
