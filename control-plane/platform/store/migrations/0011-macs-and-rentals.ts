// A Mac and its rental are two rows with one id: the machine, written by macs/, and what was agreed about it, written
// by renting/.
import type { Migration } from '../migrate.js';

const moved = ['order_no', 'hours', 'amount_won', 'granted', 'starts_at', 'ended_at', 'end_requested_at'];

export const macsAndRentals: Migration = {
  id: 11,
  name: 'macs-and-rentals',
  statements: [
    // Jobs, and holds of extensions, refer to it by whichever name it has.
    `ALTER TABLE rentals RENAME TO macs`,
    `CREATE TABLE rentals (
      rental_id TEXT PRIMARY KEY REFERENCES macs (rental_id),
      order_no TEXT REFERENCES orders (order_no),
      hours INTEGER NOT NULL,
      amount_won INTEGER NOT NULL,
      granted TEXT,
      starts_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL,
      end_requested_at INTEGER,
      ended_at INTEGER)`,
    `INSERT INTO rentals (rental_id, order_no, hours, amount_won, granted, starts_at, ends_at, end_requested_at, ended_at)
       SELECT rental_id, order_no, hours, amount_won, granted, starts_at, ends_at, end_requested_at, ended_at FROM macs`,
    ...['account', 'slot', 'end', 'preparing', 'order', 'start', 'end_requested'].map(
      (name) => `DROP INDEX rentals_${name}`,
    ),
    ...moved.map((column) => `ALTER TABLE macs DROP COLUMN ${column}`),
    // Until when builds may begin on it.
    `ALTER TABLE macs RENAME COLUMN ends_at TO usable_until`,
    `CREATE INDEX macs_account ON macs (account_id) WHERE state <> 'ended'`,
    `CREATE INDEX macs_slot ON macs (slot_id) WHERE state <> 'ended'`,
    `CREATE INDEX macs_reserved ON macs (rental_id) WHERE state = 'reserved'`,
    `CREATE INDEX macs_preparing ON macs (preparing_since) WHERE state = 'preparing'`,
    `CREATE INDEX rentals_end ON rentals (ends_at) WHERE ended_at IS NULL`,
    `CREATE INDEX rentals_order ON rentals (order_no) WHERE order_no IS NOT NULL`,
    `CREATE INDEX rentals_end_requested ON rentals (end_requested_at)
       WHERE end_requested_at IS NOT NULL AND ended_at IS NULL`,
  ],
};
