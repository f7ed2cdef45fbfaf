import type { Migration } from '../migrate.js';

export const linksOfBuilds: Migration = {
  id: 46,
  name: 'links-of-builds',
  statements: ['ALTER TABLE builds ADD COLUMN link_series INTEGER NOT NULL DEFAULT 0'],
};
