import type { Migration } from '../migrate.js';

export const stepsOfBuilds: Migration = {
  id: 43,
  name: 'steps-of-builds',
  statements: [`ALTER TABLE builds ADD COLUMN steps TEXT NOT NULL DEFAULT '[]'`],
};
