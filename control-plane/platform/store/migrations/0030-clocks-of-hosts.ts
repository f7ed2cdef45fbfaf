import type { Migration } from '../migrate.js';

export const clocksOfHosts: Migration = {
  id: 30,
  name: 'clocks-of-hosts',
  statements: [
    `ALTER TABLE hosts ADD COLUMN clock_skew_ms INTEGER`,
    `ALTER TABLE hosts ADD COLUMN connections INTEGER NOT NULL DEFAULT 0`,
  ],
};
