import type { AgentStatus, ListedBuild } from '../../../../client/types.js';

/** Returns the build that was submitted last, whether it waits, runs or has ended. */
export const newestBuild = ({ queue, last_builds }: Pick<AgentStatus, 'queue' | 'last_builds'>) =>
  [...queue.queued, ...queue.running, ...last_builds].reduce<ListedBuild | undefined>(
    (newest, build) => (newest && newest.timings.created_at >= build.timings.created_at ? newest : build),
    undefined,
  );
