import type { Migration } from '../migrate.js';

export const labelsOfHosts: Migration = {
  id: 29,
  name: 'labels-of-hosts',
  statements: [
    `ALTER TABLE hosts ADD COLUMN labels TEXT NOT NULL DEFAULT '{}'`,
    `ALTER TABLE hosts ADD COLUMN reason TEXT`,
    `ALTER TABLE hosts ADD COLUMN status_by TEXT`,
    `ALTER TABLE hosts ADD COLUMN status_at INTEGER`,
  ],
};
