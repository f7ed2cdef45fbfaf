// Finds contradicting rows about slots. Each query returns no rows while the database is consistent.
import type { Queries } from '../../platform/store/sql.js';

const TAKEN = `WITH taken AS (
  SELECT m.rental_id AS id, m.slot_id, r.starts_at, r.ends_at
    FROM macs m JOIN rentals r ON r.rental_id = m.rental_id WHERE m.state <> 'ended'
  UNION ALL SELECT 'hold:' || hold_id, slot_id, starts_at, ends_at FROM holds)`;

/** One sentence per row; `:overdueAt` is the time by which workers should have acted. */
const checks: readonly string[] = [
  `${TAKEN} SELECT a.id || ' and ' || b.id || ' have the slot ' || a.slot_id || ' at the same time' AS message
     FROM taken a JOIN taken b ON b.slot_id = a.slot_id AND a.id < b.id
       AND a.starts_at < b.ends_at AND b.starts_at < a.ends_at`,
  `SELECT a.rental_id || ' and ' || b.rental_id || ' are both in the slot ' || a.slot_id AS message
     FROM macs a JOIN macs b ON b.slot_id = a.slot_id AND a.rental_id < b.rental_id
     WHERE a.state NOT IN ('reserved', 'ended') AND b.state <> 'ended' AND b.state <> 'reserved'`,
  `SELECT 'order ' || h.order_no || ' is ' || o.status || ' and still holds the slot ' || h.slot_id AS message
     FROM holds h JOIN orders o ON o.order_no = h.order_no WHERE o.status <> 'awaiting_payment'`,
  `SELECT 'order ' || o.order_no || ' waits for payment: units ' || o.units || ', slots held '
       || (SELECT COUNT(*) FROM holds h WHERE h.order_no = o.order_no) AS message
     FROM orders o WHERE o.status = 'awaiting_payment'
       AND o.units <> (SELECT COUNT(*) FROM holds h WHERE h.order_no = o.order_no)`,
  `SELECT 'order ' || o.order_no || ' is ' || o.status || ': units ' || o.units || ', rentals '
       || (SELECT COUNT(*) FROM rentals r WHERE r.order_no = o.order_no) AS message
     FROM orders o WHERE o.kind = 'rental' AND o.status IN ('paid', 'provisioning', 'ready')
       AND o.units <> (SELECT COUNT(*) FROM rentals r WHERE r.order_no = o.order_no)`,
  `SELECT m.rental_id || ' is in the slot ' || m.slot_id || ', which is retired' AS message
     FROM macs m JOIN slots s ON s.slot_id = m.slot_id WHERE m.state <> 'ended' AND s.retired_at IS NOT NULL`,
  `SELECT r.rental_id || ' should have ended and has not' AS message
     FROM rentals r JOIN macs m ON m.rental_id = r.rental_id
     WHERE r.ended_at IS NULL AND m.ready_at IS NOT NULL AND r.ends_at <= :overdueAt AND m.state <> 'preparing' AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.rental_id = r.rental_id)`,
  `SELECT r.rental_id || ' is ' || m.state || ', and its order ' || o.order_no || ' is ' || o.status AS message
     FROM rentals r JOIN macs m ON m.rental_id = r.rental_id JOIN orders o ON o.order_no = r.order_no
     WHERE r.ended_at IS NULL AND o.status IN ('canceled', 'expired') AND o.ended_at <= :overdueAt`,
  `SELECT m.rental_id || ' is ' || m.state || ' until ' || m.usable_until || ', and its rental '
       || CASE WHEN r.rental_id IS NULL THEN 'is missing' WHEN r.ended_at IS NOT NULL THEN 'has ended'
            ELSE 'ends at ' || r.ends_at END AS message
     FROM macs m LEFT JOIN rentals r ON r.rental_id = m.rental_id
     WHERE m.state <> 'ended' AND (r.rental_id IS NULL OR r.ended_at IS NOT NULL OR r.ends_at <> m.usable_until)`,
];

interface Row {
  message: string;
}

/** @returns a sentence for each contradiction */
export async function readContradictions(q: Queries, overdueAt: number): Promise<string[]> {
  const found: string[] = [];
  for (const sql of checks) {
    const rows = sql.includes(':overdueAt') ? q.all<Row>(sql, { overdueAt }) : q.all<Row>(sql);
    for (const { message } of await rows) found.push(message);
  }
  return found;
}
