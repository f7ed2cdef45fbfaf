import type { Migration } from '../migrate.js';

/** Limits that an operator has set for an account; the others are the same for all. */
export const accountLimits: Migration = {
  id: 14,
  name: 'account-limits',
  statements: [`ALTER TABLE organizations ADD COLUMN limits TEXT NOT NULL DEFAULT '{}'`],
};
