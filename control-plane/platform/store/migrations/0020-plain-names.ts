import type { Migration } from '../migrate.js';

/** Columns are called what they hold: a queue class, a receiver's window, the time of the next fetch. */
export const plainNames: Migration = {
  id: 20,
  name: 'plain-names',
  statements: [
    'ALTER TABLE builds RENAME COLUMN lane TO queue_class',
    'ALTER TABLE deliveries RENAME COLUMN lane TO window_key',
    'ALTER TABLE payments RENAME COLUMN look_at TO fetch_at',
  ],
};
