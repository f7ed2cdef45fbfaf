// Reads builds for other capabilities, inside or outside of a transaction.
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Build, ToldBuild } from '../domain/build.js';
import type { CommitState } from '../domain/commit-state.js';
import { setCommitState } from '../store/build-status.js';
import { findAnyBuild, listBuilds, readToldBuilds } from '../store/builds.js';

/** Returns the build of any account, or null. */
export function findBuildOfAnyAccount(q: Queries, buildId: string): Promise<Build | null> {
  return findAnyBuild(q, buildId);
}

/**
 * Returns the fields that decide who is notified about these builds, by build id; builds that no longer exist are left
 * out.
 */
export async function toldBuilds(
  q: Queries,
  buildIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ToldBuild>> {
  const builds = await readToldBuilds(q, [...buildIds]);
  return new Map(builds.map((build) => [build.buildId, build]));
}

const ALL = { statuses: null, repo: null, pr: null, rentalId: null, from: null, to: null, text: null };

/** Returns the account's newest builds, newest first. */
export function newestBuilds(q: Queries, accountId: number, limit: number): Promise<Build[]> {
  return listBuilds(q, accountId, { ...ALL, beforeSeq: null, limit });
}

/** Records the commit status sent to the code host; `state` undefined keeps the current one. */
export function showCommitStatus(
  tx: Transaction,
  buildId: string,
  shown: { state?: CommitState; error: string | null },
): Promise<void> {
  return setCommitState(tx, buildId, shown);
}
