// Macs whose repairs did not help are repaired again after a growing delay.
import type { Migration } from '../migrate.js';

export const delayedRepairs: Migration = {
  id: 13,
  name: 'delayed-repairs',
  // Only Macs in `preparing` have it, and there is an index of those.
  statements: [`ALTER TABLE macs ADD COLUMN repair_at INTEGER`],
};
