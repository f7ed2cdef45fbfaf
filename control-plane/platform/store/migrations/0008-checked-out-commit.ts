import type { Migration } from '../migrate.js';

export const checkedOutCommit: Migration = {
  id: 8,
  name: 'checked-out-commit',
  statements: [
    // `commit_sha` is what the request asked for, perhaps short; this is what the host checked out.
    `ALTER TABLE builds ADD COLUMN checked_out_sha TEXT`,
  ],
};
