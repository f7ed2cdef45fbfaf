// Macs of one organization with their hosts, for operators.
import type { Queries } from '../../platform/store/sql.js';

export interface ListedRental {
  readonly rentalId: string;
  readonly name: string;
  readonly tier: string;
  readonly state: string;
  readonly createdAt: number;
  readonly host: { readonly hostId: string; readonly name: string };
  readonly slotId: string;
  /** Null: granted by an operator. */
  readonly hours: number | null;
  readonly amountWon: number;
  /** Null: granted by an operator. */
  readonly orderNo: string | null;
  /** ms since the epoch. */
  readonly endsAt: number;
}

/** Returns Macs that have not ended, the oldest first, from the one after `after` on. */
export async function listRentals(
  q: Queries,
  accountId: number,
  page: { readonly after: { readonly at: number; readonly id: string } | null; readonly limit: number },
): Promise<ListedRental[]> {
  const rows = await q.all<{
    rental_id: string;
    mac_name: string;
    tier: string;
    state: string;
    created_at: number;
    host_id: string;
    name: string;
    slot_id: string;
    hours: number | null;
    amount_won: number;
    order_no: string | null;
    ends_at: number;
  }>(
    `SELECT m.rental_id, m.name AS mac_name, m.tier, m.state, m.created_at, h.host_id, h.name, m.slot_id, r.hours, r.amount_won, r.order_no, r.ends_at
     FROM macs m JOIN rentals r ON r.rental_id = m.rental_id JOIN slots s ON s.slot_id = m.slot_id
       JOIN hosts h ON h.host_id = s.host_id
     WHERE m.account_id = :accountId AND m.state <> 'ended'
       ${page.after === null ? '' : 'AND (m.created_at, m.rental_id) > (:at, :id)'}
     ORDER BY m.created_at, m.rental_id LIMIT :limit`,
    { accountId, limit: page.limit, ...page.after },
  );
  return rows.map((row) => ({
    rentalId: row.rental_id,
    name: row.mac_name,
    tier: row.tier,
    state: row.state,
    createdAt: row.created_at,
    host: { hostId: row.host_id, name: row.name },
    orderNo: row.order_no,
    slotId: row.slot_id,
    hours: row.hours,
    amountWon: row.amount_won,
    endsAt: row.ends_at,
  }));
}
