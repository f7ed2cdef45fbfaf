// Use cases of builds for the account that owns them.
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Step } from '../../platform/app/turns.js';
import type { Scope } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import { type Build, hasEnded, type ScriptedBuild } from '../domain/build.js';
import { type BuildFilter, type BuildPlace, buildAt, findBuildPlace, readBuilds } from '../store/build-list.js';
import { BUILDS_IN_TURN, findBuild, withScript } from '../store/builds.js';
import { type ChangeDeps, changeBuildStatus } from './build-changes.js';
import { stopRunning } from './build-end.js';
import { type BuildWaitingDeps, createBuildWaiting } from './build-waiting.js';
import { macNamesOf, type PlacedBuild, type Queue } from './queue.js';

export interface BuildsDeps extends ChangeDeps, BuildWaitingDeps {
  readonly store: Store;
  readonly limits: Limits;
  readonly queue: Queue;
}

/** With its script and its place in the queue. */
export type WholeBuild = PlacedBuild<ScriptedBuild>;

export interface BuildPage {
  readonly builds: readonly PlacedBuild[];
  /** Cursor for the next page; null on the last page. */
  readonly nextBefore: string | null;
}

export type Builds = ReturnType<typeof createBuilds>;

export function createBuilds(deps: BuildsDeps) {
  const { store, clock, limits, queue } = deps;

  const existing = async (scope: Scope, buildId: string): Promise<Build> => {
    const build = await findBuild(store, scope, buildId);
    if (!build) throw new ApiError('build_not_found');
    return build;
  };
  const placed = async (build: Build): Promise<WholeBuild> => {
    const scripted = await withScript(store, build);
    const [only] = await queue.place(build.accountId, [scripted]);
    return only ?? { build: scripted, place: null, macNames: new Map() };
  };

  const unplaced = async (build: Build): Promise<WholeBuild> => ({
    build: await withScript(store, build),
    place: null,
    macNames: await macNamesOf(store, [build]),
  });

  return {
    /**
     * Returns the build. Throws build_not_found, also for
     * a build of another account or workspace.
     */
    get: async (scope: Scope, buildId: string) => placed(await existing(scope, buildId)),

    /** Returns the build without its place in the queue. */
    find: existing,

    /** Lists builds, newest first. Throws invalid_query if `before` is not a build of the account. */
    async list(
      scope: Scope,
      filter: BuildFilter & { readonly before: string | null; readonly limit: number },
      step: Step,
    ): Promise<BuildPage> {
      const after = filter.before === null ? null : await findBuildPlace(store, scope, filter.before);
      if (filter.before !== null && after === null) {
        throw new ApiError('invalid_query', { message: 'before must be the id of a build of this account.' });
      }
      const found = await findBuilds(store, limits, scope, filter, { after, limit: filter.limit, step });
      return { builds: await queue.place(scope.accountId, found.builds), nextBefore: found.nextBefore };
    },

    ...createBuildWaiting(deps, existing, placed),

    /** Cancels a build. A running one is asked to stop and ends shortly after; an ended one is returned unchanged. */
    async cancel(scope: Scope, buildId: string, stopped: InTransaction): Promise<WholeBuild> {
      for (;;) {
        const build = await existing(scope, buildId);
        if (hasEnded(build.status) || build.stopRequestedAt !== null) {
          await store.durable();
          return unplaced(build);
        }
        const cancelled = await store.transaction(async (tx) => {
          const end = { endedAt: clock.now(), endReason: 'cancelled_by_user' } as const;
          const changed = await (build.status === 'queued'
            ? changeBuildStatus(tx, deps, build, 'cancel', end)
            : stopRunning(tx, deps, build, 'cancelled_by_user'));
          if (changed) await stopped(tx);
          return changed;
        });
        // It was started, moved or ended concurrently: read it again.
        if (cancelled) return unplaced(cancelled);
      }
    },

    /** Returns null unless the build is waiting. */
    async setPriority(scope: Scope, buildId: string, priority: number, set: InTransaction): Promise<WholeBuild | null> {
      const seen = await existing(scope, buildId);
      const changed = await store.transaction(async (tx) => {
        const prioritized = await changeBuildStatus(tx, deps, seen, 'prioritize', { priority });
        if (prioritized) await set(tx);
        return prioritized;
      });
      return changed && placed(changed);
    },
  };
}

interface FoundBuilds {
  readonly builds: readonly Build[];
  /** The build after which the next page begins; null on the last page. */
  readonly nextBefore: string | null;
}

const SLICE = 500;

/**
 * Returns the builds after the position `after` (null: from the newest), newest first. If no index covers all
 * conditions, the history is read in slices, so that other requests are served in between. After a number of builds the
 * page ends early, with a cursor for the next one.
 */
async function findBuilds(
  q: Queries,
  limits: Pick<Limits, 'list_builds_examined'>,
  scope: Scope,
  filter: BuildFilter,
  { after, limit, step }: { after: BuildPlace | null; limit: number; step: Step },
): Promise<FoundBuilds> {
  const found: Build[] = [];
  let place = after;
  for (let examined = 0; ; ) {
    const wanted = Math.min(BUILDS_IN_TURN, limit + 1 - found.length);
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
