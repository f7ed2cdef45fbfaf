// Macs have names. Those that are there are numbered in the order of lists; the others are called by their id.
import type { Migration } from '../migrate.js';

export const namesOfMacs: Migration = {
  id: 60,
  name: 'names-of-macs',
  statements: [
    `ALTER TABLE macs ADD COLUMN name TEXT NOT NULL DEFAULT ''`,
    `UPDATE macs SET name = rental_id WHERE state = 'ended'`,
    `UPDATE macs SET name = 'Mac ' || (SELECT COUNT(*) FROM macs other
       WHERE other.account_id = macs.account_id AND other.state <> 'ended'
         AND (other.created_at, other.rental_id) <= (macs.created_at, macs.rental_id))
     WHERE state <> 'ended'`,
    `CREATE TABLE mac_names (
       account_id INTEGER NOT NULL REFERENCES organizations (id),
       name_key TEXT NOT NULL,
       holder TEXT NOT NULL,
       PRIMARY KEY (account_id, name_key))`,
    'CREATE INDEX mac_names_holder ON mac_names (holder)',
    `INSERT INTO mac_names (account_id, name_key, holder)
       SELECT account_id, LOWER(name), rental_id FROM macs WHERE state <> 'ended'`,
    `ALTER TABLE orders ADD COLUMN names TEXT NOT NULL DEFAULT '[]'`,
  ],
};
