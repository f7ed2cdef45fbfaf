// Rows about slots that contradict each other. Each query answers nothing while the database is consistent.
import type { Queries } from '../../platform/store/sql.js';

const TAKEN = `WITH taken AS (
  SELECT rental_id AS id, slot_id, starts_at, ends_at FROM rentals WHERE ended_at IS NULL
  UNION ALL SELECT 'hold:' || hold_id, slot_id, starts_at, ends_at FROM holds)`;

/** One sentence a row; `:overdueAt` is for what a worker should have done by then. */
const checks: readonly string[] = [
  `${TAKEN} SELECT a.id || ' and ' || b.id || ' have the slot ' || a.slot_id || ' at the same time' AS message
     FROM taken a JOIN taken b ON b.slot_id = a.slot_id AND a.id < b.id
       AND a.starts_at < b.ends_at AND b.starts_at < a.ends_at`,
  `SELECT a.rental_id || ' and ' || b.rental_id || ' are both in the slot ' || a.slot_id AS message
     FROM rentals a JOIN rentals b ON b.slot_id = a.slot_id AND a.rental_id < b.rental_id
     WHERE a.ended_at IS NULL AND b.ended_at IS NULL AND a.state <> 'reserved' AND b.state <> 'reserved'`,
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
  `SELECT r.rental_id || ' is in the slot ' || r.slot_id || ', which is retired' AS message
     FROM rentals r JOIN slots s ON s.slot_id = r.slot_id WHERE r.ended_at IS NULL AND s.retired_at IS NOT NULL`,
  `SELECT r.rental_id || ' should have ended and has not' AS message
     FROM rentals r WHERE r.ended_at IS NULL AND r.ready_at IS NOT NULL AND r.ends_at <= :overdueAt
       AND r.state <> 'preparing' AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.rental_id = r.rental_id)`,
  `SELECT r.rental_id || ' is ' || r.state || ', and its order ' || o.order_no || ' is ' || o.status AS message
     FROM rentals r JOIN orders o ON o.order_no = r.order_no
     WHERE r.ended_at IS NULL AND o.status IN ('canceled', 'expired') AND o.ended_at <= :overdueAt`,
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
