// Rollouts of agent versions.
import type { Migration } from '../migrate.js';

export const rollouts: Migration = {
  id: 32,
  name: 'rollouts',
  statements: [
    `CREATE TABLE rollouts (
       rollout_id TEXT PRIMARY KEY,
       version TEXT NOT NULL,
       status TEXT NOT NULL,
       canaries INTEGER NOT NULL,
       error TEXT,
       soak_until INTEGER,
       created_at INTEGER NOT NULL,
       ended_at INTEGER
     )`,
    `CREATE UNIQUE INDEX rollouts_running ON rollouts (status) WHERE status = 'running'`,
    `CREATE TABLE rollout_hosts (
       rollout_id TEXT NOT NULL REFERENCES rollouts (rollout_id),
       host_id TEXT NOT NULL REFERENCES hosts (host_id),
       position INTEGER NOT NULL,
       canary INTEGER NOT NULL,
       state TEXT NOT NULL,
       error TEXT,
       started_at INTEGER,
       ended_at INTEGER,
       PRIMARY KEY (rollout_id, host_id)
     )`,
  ],
};
