// Upgrades of agents in the order in which they began: several may begin at the same time of the clock.
import type { Migration } from '../migrate.js';

export const orderOfRollouts: Migration = {
  id: 66,
  name: 'order-of-rollouts',
  statements: [
    'ALTER TABLE rollouts ADD COLUMN seq INTEGER NOT NULL DEFAULT 0',
    `UPDATE rollouts SET seq = (SELECT COUNT(*) FROM rollouts other
       WHERE (other.created_at, other.rollout_id) <= (rollouts.created_at, rollouts.rollout_id))`,
    'CREATE UNIQUE INDEX rollouts_seq ON rollouts (seq)',
  ],
};
