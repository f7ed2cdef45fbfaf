// Paid time, and whose row points to whom.
import { BY_HAND, type Check } from './check.js';

export const rentalChecks: readonly Check[] = [
  {
    name: 'paid_time',
    holds: 'A rental lasts at least as long as was paid for it.',
    sql: `SELECT rental_id AS subject, 'it lasts ' || ((ends_at - starts_at) / 1000) || ' s; ' || hours || ' hours are paid' AS found
      FROM rentals WHERE hours IS NOT NULL AND ended_at IS NULL AND ends_at - starts_at < hours * CAST(3600000 AS BIGINT)`,
    repair: 'refund the rest, or rent the Mac for longer: see the audit log for what shortened it',
  },
  {
    name: 'mac_of_build',
    holds: 'A Mac that names a build has that build running on it.',
    sql: `SELECT m.rental_id AS subject, 'it names ' || m.build_id || ', which '
        || CASE WHEN b.build_id IS NULL THEN 'is missing' ELSE 'is ' || b.status || ' on ' || COALESCE(b.rental_id, 'no Mac') END AS found
      FROM macs m LEFT JOIN builds b ON b.build_id = m.build_id
      WHERE m.build_id IS NOT NULL AND (b.build_id IS NULL OR b.status <> 'running' OR b.rental_id <> m.rental_id)`,
    repair: 'reset the Mac',
  },
  {
    name: 'build_of_mac',
    holds: 'The Mac of a running build names that build.',
    sql: `SELECT b.build_id AS subject, 'it runs on ' || m.rental_id || ', which names ' || COALESCE(m.build_id, 'none') AS found
      FROM builds b JOIN macs m ON m.rental_id = b.rental_id
      WHERE b.status = 'running' AND (m.build_id IS NULL OR m.build_id <> b.build_id)`,
    repair: 'cancel it, and submit it again',
  },
  {
    name: 'one_owner',
    holds: 'Events, jobs and files belong to the account of what they are about.',
    sql: `SELECT e.event_id AS subject, 'it belongs to account ' || e.account_id || ', ' || e.subject_id || ' to ' || m.account_id AS found
        FROM events e JOIN macs m ON m.rental_id = e.subject_id WHERE e.account_id <> m.account_id
      UNION ALL
      SELECT e.event_id, 'it belongs to account ' || e.account_id || ', ' || e.subject_id || ' to ' || o.account_id
        FROM events e JOIN orders o ON o.order_no = e.subject_id WHERE e.account_id <> o.account_id`,
    repair: BY_HAND,
  },
];
