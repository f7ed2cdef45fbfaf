import type { Migration } from '../migrate.js';

export const confirmedSessions: Migration = {
  id: 37,
  name: 'confirmed-sessions',
  statements: [`ALTER TABLE sessions ADD COLUMN confirmed_at INTEGER`],
};
