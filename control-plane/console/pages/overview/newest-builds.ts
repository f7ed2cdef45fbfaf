// The newest builds of an organization, whether they wait, run or have ended. Pure.
import type { AgentStatus, ListedBuild } from '../../../../client/types.js';

/** As many as the service lists of those that have ended. */
const MOST = 10;

/** Newest first. */
export const newestBuilds = ({ queue, last_builds }: Pick<AgentStatus, 'queue' | 'last_builds'>): ListedBuild[] =>
  [...queue.queued, ...queue.running, ...last_builds]
    .sort((a, b) => b.timings.created_at.localeCompare(a.timings.created_at))
    .slice(0, MOST);
