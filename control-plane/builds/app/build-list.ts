// Lists builds. If no index covers all conditions, the history is read in slices, so that other requests are served in
// between. After a number of builds the page ends early, with a cursor for the next one.
import type { Step } from '../../platform/app/turns.js';
import type { Scope } from '../../platform/domain/caller.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries } from '../../platform/store/sql.js';
import type { Build } from '../domain/build.js';
import { type BuildFilter, type BuildPlace, buildAt, readBuilds } from '../store/build-list.js';

export interface FoundBuilds {
  readonly builds: readonly Build[];
  /** The build after which the next page begins; null on the last page. */
  readonly nextBefore: string | null;
}

const SLICE = 500;
/** Builds read at a time: each may have many warnings. */
const ROWS = 50;

/** Returns the builds after the position `after` (null: from the newest), newest first. */
export async function findBuilds(
  q: Queries,
  limits: Pick<Limits, 'list_builds_examined'>,
  scope: Scope,
  filter: BuildFilter,
  { after, limit, step }: { after: BuildPlace | null; limit: number; step: Step },
): Promise<FoundBuilds> {
  const found: Build[] = [];
  let place = after;
  for (let examined = 0; ; ) {
    const wanted = Math.min(ROWS, limit + 1 - found.length);
    const slice = await readBuilds(q, scope, filter, { after: place, limit: wanted, examined: SLICE });
    found.push(...slice.builds);
    if (found.length > limit) {
      const page = found.slice(0, limit);
      return { builds: page, nextBefore: page.at(-1)?.buildId ?? null };
    }
    place = slice.next;
    if (place === null) return { builds: found, nextBefore: null };
    if (slice.builds.length < wanted) examined += SLICE;
    if (examined >= limits.list_builds_examined) {
      return { builds: found, nextBefore: await buildAt(q, place) };
    }
    await step();
  }
}
