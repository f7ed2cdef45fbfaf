import type { Migration } from '../migrate.js';

export const labelsOfBuilds: Migration = {
  id: 35,
  name: 'labels-of-builds',
  statements: [`ALTER TABLE builds ADD COLUMN labels TEXT NOT NULL DEFAULT '{}'`],
};
