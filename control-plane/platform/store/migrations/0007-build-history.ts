// Which builds are of the same project and script: how long the last ones took says how long the next one will.
import type { Migration } from '../migrate.js';

export const buildHistory: Migration = {
  id: 7,
  name: 'build-history',
  statements: [
    // Null for builds that were accepted before.
    `ALTER TABLE builds ADD COLUMN history_key TEXT`,
    `CREATE INDEX builds_history ON builds (account_id, history_key, ended_at)
       WHERE history_key IS NOT NULL AND exit_code IS NOT NULL AND end_reason IN ('succeeded', 'exit_nonzero')`,
  ],
};
