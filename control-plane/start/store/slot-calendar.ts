// Who has the slots of hosts when: rentals, reservations and holds.
import type { Queries } from '../../platform/store/sql.js';
import type { OrganizationRef } from './fleet.js';

export interface SlotOccupation {
  readonly slotId: string;
  /** hold: for an unpaid order, or for the extension of `rentalId`. */
  readonly kind: 'rental' | 'reservation' | 'hold';
  readonly rentalId: string | null;
  readonly macName: string | null;
  readonly orderNo: string | null;
  readonly state: string | null;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly organization: OrganizationRef;
}

interface Row {
  slot_id: string;
  kind: SlotOccupation['kind'];
  rental_id: string | null;
  mac_name: string | null;
  order_no: string | null;
  state: string | null;
  starts_at: number;
  ends_at: number;
  org_id: string;
  slug: string;
  name: string;
}

// Rentals that have ended keep their slot in the past; the end is then the real one.
const OCCUPATIONS = `
  SELECT m.slot_id, CASE WHEN m.state = 'reserved' THEN 'reservation' ELSE 'rental' END AS kind, m.rental_id, r.order_no,
      m.name AS mac_name, m.state, r.starts_at, COALESCE(r.ended_at, r.ends_at) AS ends_at, a.org_id, a.slug, a.name
    FROM macs m JOIN rentals r ON r.rental_id = m.rental_id JOIN organizations a ON a.id = m.account_id
    WHERE m.slot_id IN (SELECT slot_id FROM slots WHERE host_id = :hostId)
      AND r.starts_at < :to AND COALESCE(r.ended_at, r.ends_at) > :from
  UNION ALL
  SELECT o.slot_id, 'hold', o.rental_id, o.order_no,
      (SELECT m.name FROM macs m WHERE m.rental_id = o.rental_id), NULL, o.starts_at, o.ends_at, a.org_id, a.slug, a.name
    FROM holds o JOIN organizations a ON a.id = o.account_id
    WHERE o.slot_id IN (SELECT slot_id FROM slots WHERE host_id = :hostId) AND o.starts_at < :to AND o.ends_at > :from
  ORDER BY 1, 7`;

/** Returns what is in the slots of a host between two times, by slot and start. */
export async function readOccupations(
  q: Queries,
  range: { readonly hostId: string; readonly from: number; readonly to: number },
): Promise<SlotOccupation[]> {
  const rows = await q.all<Row>(OCCUPATIONS, range);
  return rows.map((row) => ({
    slotId: row.slot_id,
    kind: row.kind,
    rentalId: row.rental_id,
    macName: row.mac_name,
    orderNo: row.order_no,
    state: row.state,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    organization: { orgId: row.org_id, slug: row.slug, name: row.name },
  }));
}
