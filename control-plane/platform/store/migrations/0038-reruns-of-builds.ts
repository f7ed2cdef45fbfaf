import type { Migration } from '../migrate.js';

export const rerunsOfBuilds: Migration = {
  id: 38,
  name: 'reruns-of-builds',
  statements: ['ALTER TABLE builds ADD COLUMN rerun_of TEXT'],
};
