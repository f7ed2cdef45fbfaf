import type { Migration } from '../migrate.js';

/** A column is called like the field of the record that it holds. */
export const columnNames: Migration = {
  id: 10,
  name: 'column-names',
  statements: [
    // What the request asked for, perhaps short; then what the host checked out.
    `ALTER TABLE builds RENAME COLUMN commit_sha TO "commit"`,
    `ALTER TABLE builds RENAME COLUMN checked_out_sha TO commit_sha`,
    `ALTER TABLE jobs RENAME COLUMN when_ TO "when"`,
  ],
};
