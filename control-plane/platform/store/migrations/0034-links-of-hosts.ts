import type { Migration } from '../migrate.js';

export const linksOfHosts: Migration = {
  id: 34,
  name: 'links-of-hosts',
  statements: [
    `CREATE TABLE host_links (
       host_id TEXT NOT NULL REFERENCES hosts (host_id),
       connected_at INTEGER NOT NULL,
       ended_at INTEGER,
       agent_version TEXT NOT NULL,
       PRIMARY KEY (host_id, connected_at)
     )`,
  ],
};
