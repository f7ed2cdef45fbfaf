import type { Scope } from '../../platform/domain/caller.js';
import type { Queries } from '../../platform/store/sql.js';
import type { Build, ToldBuild } from '../domain/build.js';
import { readBuilds } from '../store/build-list.js';
import { readToldBuilds } from '../store/builds.js';

export { readNewestEnded as newestEndedBuilds } from '../store/build-list.js';
export { countActiveOf as unfinishedBuilds } from '../store/build-queue.js';
export { setCommitState as showCommitStatus } from '../store/build-status.js';
export { findAnyBuild as findBuildOfAnyAccount, findBuild } from '../store/builds.js';
export { findScript as scriptOf } from '../store/scripts.js';

/**
 * Returns the fields that decide who is notified about these builds, by build id; builds that no longer exist are left
 * out.
 */
export async function toldBuilds(q: Queries, buildIds: ReadonlySet<string>): Promise<ReadonlyMap<string, ToldBuild>> {
  const builds = await readToldBuilds(q, [...buildIds]);
  return new Map(builds.map((build) => [build.buildId, build]));
}

const ALL = { statuses: null, repo: null, pr: null, rentalId: null, from: null, to: null, text: null };

/** Returns the newest builds in scope, newest first. */
export async function newestBuilds(q: Queries, scope: Scope, limit: number): Promise<readonly Build[]> {
  return (await readBuilds(q, scope, ALL, { after: null, limit, examined: limit })).builds;
}
