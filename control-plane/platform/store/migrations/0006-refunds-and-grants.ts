// Refunds with all their sums, Macs without an order, and time that the platform keeps a Mac from its customer.
import type { Migration } from '../migrate.js';

export const refundsAndGrants: Migration = {
  id: 6,
  name: 'refunds-and-grants',
  statements: [
    // Of the order's own amount: what goes back, and when that was decided last.
    `ALTER TABLE orders ADD COLUMN refunded_won INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE orders ADD COLUMN refunded_at INTEGER`,
    `UPDATE orders SET refunded_won = amount_won, refunded_at = ended_at
       WHERE paid_at IS NOT NULL AND end_reason IN ('no_capacity', 'refunded_by_operator')`,
    // It ends at once, whatever its times say.
    `ALTER TABLE rentals ADD COLUMN end_requested_at INTEGER`,
    // Since when the platform keeps a Mac that was ready once from its customer; null: it does not.
    `ALTER TABLE rentals ADD COLUMN away_since INTEGER`,
    // 'tier' or 'host': given by an operator without an order, on any host of the tier or on this one only.
    `ALTER TABLE rentals ADD COLUMN granted TEXT`,
    // What was paid for it: its share of its order, and its extensions.
    `ALTER TABLE rentals ADD COLUMN amount_won INTEGER NOT NULL DEFAULT 0`,
    `UPDATE rentals SET amount_won = o.amount_won / o.units FROM orders o WHERE o.order_no = rentals.order_no`,
    `UPDATE rentals SET amount_won = rentals.amount_won + x.won
       FROM (SELECT json_extract(i.value, '$.rentalId') AS rental_id, SUM(json_extract(i.value, '$.amountWon')) AS won
         FROM orders o, json_each(o.items) i
         WHERE o.kind = 'extension' AND o.status = 'ready' AND o.refunded_won = 0 GROUP BY 1) x
       WHERE x.rental_id = rentals.rental_id`,
    // Written where no mail server is known; the service turns it into mails.
    `ALTER TABLE notices ADD COLUMN mail_pending INTEGER NOT NULL DEFAULT 0`,
    `CREATE INDEX notices_mail_pending ON notices (created_at) WHERE mail_pending = 1`,
    `CREATE INDEX rentals_end_requested ON rentals (end_requested_at)
       WHERE end_requested_at IS NOT NULL AND ended_at IS NULL`,
  ],
};
