// What each account has written into the database. Triggers keep it (`platform/store/record-triggers.ts`); the rows
// that exist are counted in the background when the service has started.
import type { Migration } from '../migrate.js';

export const records: Migration = {
  id: 53,
  name: 'records',
  statements: ['ALTER TABLE account_usage ADD COLUMN records_bytes INTEGER NOT NULL DEFAULT 0'],
};
