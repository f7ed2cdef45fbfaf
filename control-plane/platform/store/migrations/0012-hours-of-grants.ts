import type { Migration } from '../migrate.js';

/** A rental that an operator has granted has no bought hours: null, where it was 0. */
export const hoursOfGrants: Migration = {
  id: 12,
  name: 'hours-of-grants',
  statements: [
    `ALTER TABLE rentals ADD COLUMN bought INTEGER`,
    `UPDATE rentals SET bought = hours WHERE granted IS NULL`,
    `ALTER TABLE rentals DROP COLUMN hours`,
    `ALTER TABLE rentals RENAME COLUMN bought TO hours`,
  ],
};
