// A consistent read of one account's queue.
import { namesOfMacs } from '../../macs/app/mac-names.js';
import { macsOf } from '../../macs/app/macs.js';
import type { Mac } from '../../macs/domain/mac.js';
import type { Core } from '../../platform/app/core.js';
import type { Step } from '../../platform/app/turns.js';
import { isInScope, type Scope } from '../../platform/domain/caller.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import type { Build, BuildStatus } from '../domain/build.js';
import { type EstimateBasis, expectedEndOf } from '../domain/estimates.js';
import { basisOf, type Place, placesOf, type QueueState } from '../domain/places.js';
import { readHistory } from '../store/build-history.js';
import { readQueued, readRunning } from '../store/build-queue.js';
import { BUILDS_IN_TURN, readBuildsById } from '../store/builds.js';

export { countActiveBuilds as queueCounts } from '../store/build-queue.js';

/** A build, with its place in the queue while it waits. */
export interface PlacedBuild<B extends Build = Build> {
  readonly build: B;
  readonly place: Place | null;
  /** Estimated end of a running build, ms since the epoch; null without history. */
  readonly expectedEndAt?: number | null;
  /** Names of the Macs that it runs on, or is pinned to, by rental id. */
  readonly macNames: MacNames;
}

/** Names of Macs by rental id. */
export type MacNames = ReadonlyMap<string, string>;

/** Enough for builds that have not ended: the Mac that one is on or pinned to has not been removed. */
export const namesOf = (macs: readonly Pick<Mac, 'rentalId' | 'name'>[]): MacNames =>
  new Map(macs.map(({ rentalId, name }) => [rentalId, name]));

/** Returns the names of the Macs that builds run on or are pinned to, including removed ones. */
export function macNamesOf(
  q: Queries,
  builds: readonly Pick<Build, 'rentalId' | 'pinnedRentalId'>[],
): Promise<MacNames> {
  const ids = builds.flatMap(({ rentalId, pinnedRentalId }) => [rentalId, pinnedRentalId]);
  return namesOfMacs(q, [...new Set(ids.filter((id) => id !== null))]);
}

export interface AccountQueue {
  /** In the order in which the callers began to wait. */
  readonly running: readonly PlacedBuild[];
  /** Next to start first. */
  readonly queued: readonly PlacedBuild[];
  readonly basis: EstimateBasis;
}

export async function readQueueState(
  q: Queries,
  accountId: number,
  limits: Pick<Limits, 'history_builds'>,
): Promise<QueueState> {
  const [macs, running, queued] = await Promise.all([
    macsOf(q, accountId),
    readRunning(q, accountId),
    readQueued(q, accountId),
  ]);
  const keys = [...running, ...queued].map((build) => build.historyKey);
  const history = await readHistory(q, accountId, keys, limits.history_builds);
  return { macs, running, queued, history };
}

/** The part that is needed to estimate the ends of running builds. */
async function readRunningState(
  q: Queries,
  accountId: number,
  limits: Pick<Limits, 'history_builds'>,
): Promise<QueueState> {
  const running = await readRunning(q, accountId);
  const keys = running.map((build) => build.historyKey);
  const history = await readHistory(q, accountId, keys, limits.history_builds);
  return { macs: [], running, queued: [], history };
}

/** Estimated ends of the running builds by build id, where known. */
function endsOf({ running, history }: Pick<QueueState, 'running' | 'history'>, now: number) {
  if (history === undefined) return new Map<string, number | null>();
  return new Map(running.map((build) => [build.buildId, expectedEndOf(build, history, now)]));
}

const ATTEMPTS = 5;

/** Repeats the reads until no commit happened between them, so that they are consistent. */
export async function atOneMoment<T>(store: Store, read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const before = await store.revision();
    const value = await read();
    if (before === (await store.revision()) || attempt === ATTEMPTS) return value;
  }
}

/** An account's queue, and its builds with all fields. */
export interface WholeQueue {
  readonly state: QueueState;
  /** Every waiting and running build in scope. */
  readonly active: readonly Build[];
}

/** Reads the builds in groups. Returns those that still run or wait as the state says. */
async function readActive(q: Queries, { running, queued }: QueueState, step: Step): Promise<Build[]> {
  const statuses = new Map<string, BuildStatus>([
    ...running.map(({ buildId }) => [buildId, 'running'] as const),
    ...queued.map(({ buildId }) => [buildId, 'queued'] as const),
  ]);
  const ids = [...statuses.keys()];
  const active: Build[] = [];
  for (let at = 0; at < ids.length; at += BUILDS_IN_TURN) {
    await step();
    active.push(...(await readBuildsById(q, ids.slice(at, at + BUILDS_IN_TURN))));
  }
  return active.filter(({ buildId, status }) => statuses.get(buildId) === status).sort((a, b) => a.seq - b.seq);
}

/**
 * Reads an account's queue. Its builds are read in groups, with turns of other requests in between; if one of them has
 * begun or ended meanwhile, everything is read again.
 *
 * @param beside reads anything else that must be consistent with the queue
 */
export async function readWholeQueue<T>(
  { store, limits }: Pick<QueueDeps, 'store' | 'limits'>,
  scope: Scope,
  step: Step,
  beside: (macs: readonly Mac[]) => Promise<T>,
): Promise<{ readonly whole: WholeQueue; readonly beside: T }> {
  for (let attempt = 1; ; attempt++) {
    const [state, other] = await atOneMoment(store, async () => {
      const read = await readQueueState(store, scope.accountId, limits);
      return [read, await beside(read.macs)] as const;
    });
    const active = await readActive(store, state, step);
    if (active.length < state.running.length + state.queued.length && attempt < ATTEMPTS) continue;
    return { whole: { state, active: active.filter((build) => isInScope(scope, build)) }, beside: other };
  }
}

/** Returns the waiting and running builds with their queue positions in the account. */
export function placeBuilds({ active, state }: WholeQueue, now: number, limits: Limits): AccountQueue {
  const byId = new Map(active.map((build) => [build.buildId, build]));
  const places = placesOf(state, now, limits);
  const ends = endsOf(state, now);
  const macNames = namesOf(state.macs);
  const queued: PlacedBuild[] = [];
  for (const [buildId, place] of places) {
    const build = byId.get(buildId);
    if (build) queued.push({ build, place, macNames });
  }
  const running = active
    .filter((build) => build.status === 'running')
    .map((build) => ({ build, place: null, expectedEndAt: ends.get(build.buildId) ?? null, macNames }));
  return { running, queued, basis: basisOf(state) };
}

export type QueueDeps = Pick<Core, 'store' | 'clock' | 'limits'>;

export function createQueue({ store, clock, limits }: QueueDeps) {
  return {
    /** Returns every waiting and running build in scope. */
    async read(scope: Scope, now: number, step: Step): Promise<AccountQueue> {
      const { whole } = await readWholeQueue({ store, limits }, scope, step, async () => null);
      await step();
      return placeBuilds(whole, now, limits);
    },

    /** Returns places of waiting builds and estimated ends of running ones, reading only what they need. */
    async place<B extends Build>(accountId: number, builds: readonly B[]): Promise<PlacedBuild<B>[]> {
      const macNames = await macNamesOf(store, builds);
      const waits = builds.some((build) => build.status === 'queued');
      if (!waits && !builds.some((build) => build.status === 'running')) {
        return builds.map((build) => ({ build, place: null, macNames }));
      }
      const now = clock.now();
      const state = await atOneMoment(store, () =>
        waits ? readQueueState(store, accountId, limits) : readRunningState(store, accountId, limits),
      );
      const places = waits ? placesOf(state, now, limits) : new Map<string, Place>();
      const ends = endsOf(state, now);
      return builds.map((build) => ({
        build,
        place: places.get(build.buildId) ?? null,
        expectedEndAt: ends.get(build.buildId) ?? null,
        macNames,
      }));
    },
  };
}
export type Queue = ReturnType<typeof createQueue>;
