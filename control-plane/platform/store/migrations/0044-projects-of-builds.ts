import type { Migration } from '../migrate.js';

export const projectsOfBuilds: Migration = {
  id: 44,
  name: 'projects-of-builds',
  statements: [
    'ALTER TABLE builds ADD COLUMN project TEXT',
    'UPDATE builds SET project = (SELECT u.project FROM uploads u WHERE u.upload_id = builds.upload_id) WHERE upload_id IS NOT NULL',
  ],
};
