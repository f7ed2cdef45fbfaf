import type { Migration } from '../migrate.js';

/**
 * Lists of builds cover one workspace in the order of creation, so each filter has an index with these columns. Builds
 * of an account are found by status, with or without planner statistics.
 */
export const listsOfBuilds: Migration = {
  id: 23,
  name: 'lists-of-builds',
  statements: [
    ...['open', 'status', 'repo', 'pr', 'mac'].map((name) => `DROP INDEX builds_${name}`),
    `CREATE INDEX builds_queued ON builds (account_id, status, seq) WHERE status = 'queued'`,
    `CREATE INDEX builds_status ON builds (account_id, workspace_id, status, created_at, seq)`,
    // At most one of the two is given. The status is included so that it can be checked without reading the row.
    `CREATE INDEX builds_repo ON builds (account_id, workspace_id, COALESCE(repo, repo_url), created_at, seq, status)
       WHERE COALESCE(repo, repo_url) IS NOT NULL`,
    `CREATE INDEX builds_pr ON builds (account_id, workspace_id, pr, created_at, seq) WHERE pr IS NOT NULL`,
    // A pinned build runs on no other Mac.
    `CREATE INDEX builds_mac ON builds (account_id, workspace_id, COALESCE(rental_id, pinned_rental_id), created_at, seq)
       WHERE COALESCE(rental_id, pinned_rental_id) IS NOT NULL`,
    // For the foreign key to builds: without it, deleting a build would read all events of its account.
    `CREATE INDEX events_build ON events (account_id, build_id)`,
  ],
};
