// The queue of one account as it is at one moment.
import type { Clock } from '../../shared/clock.js';
import type { Build } from '../domain/build.js';
import type { Limits } from '../domain/limits.js';
import { type Place, placesOf, type QueueState } from '../domain/places.js';
import { readActiveBuilds, readQueued, readRunning } from '../store/build-queue.js';
import { readMacs } from '../store/rentals.js';
import type { Queries, Store } from '../store/sql.js';

/** A build, and its place in the queue while it waits. */
export interface PlacedBuild {
  readonly build: Build;
  readonly place: Place | null;
}

export interface AccountQueue {
  /** In the order in which they were started to wait. */
  readonly running: readonly PlacedBuild[];
  /** Next to start first. */
  readonly queued: readonly PlacedBuild[];
}

export async function readQueueState(q: Queries, accountId: number): Promise<QueueState> {
  const [macs, running, queued] = await Promise.all([
    readMacs(q, accountId),
    readRunning(q, accountId),
    readQueued(q, accountId),
  ]);
  return { macs, running, queued };
}

// Reads of one turn see one state; another process may still write in between. Then they are made again.
const ATTEMPTS = 5;

/** Runs reads until nothing was committed among them, so that they belong together. */
export async function atOneMoment<T>(
  store: Store,
  read: () => Promise<T>,
): Promise<{ value: T; revision: string }> {
  for (let attempt = 1; ; attempt++) {
    const [before, value, after] = await Promise.all([store.revision(), read(), store.revision()]);
    if (before === after || attempt === ATTEMPTS) return { value, revision: before };
  }
}

/** The account's waiting and running builds with their places. */
export function placeBuilds(
  active: readonly Build[],
  state: QueueState,
  now: number,
  limits: Limits,
): AccountQueue {
  const byId = new Map(active.map((build) => [build.buildId, build]));
  const places = placesOf(state, now, limits);
  const queued: PlacedBuild[] = [];
  for (const [buildId, place] of places) {
    const build = byId.get(buildId);
    if (build) queued.push({ build, place });
  }
  const running = active
    .filter((build) => build.status === 'running')
    .map((build) => ({ build, place: null }));
  return { running, queued };
}

export interface QueueDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
}

export function createQueue({ store, clock, limits }: QueueDeps) {
  return {
    /** Every waiting and running build of the account. */
    async read(accountId: number, now: number): Promise<AccountQueue> {
      const { value } = await atOneMoment(store, () =>
        Promise.all([readActiveBuilds(store, accountId), readQueueState(store, accountId)]),
      );
      const [active, state] = value;
      return placeBuilds(active, state, now, limits);
    },

    /** Places of waiting builds; the queue is read only when one of them waits. */
    async place(accountId: number, builds: readonly Build[]): Promise<PlacedBuild[]> {
      if (!builds.some((build) => build.status === 'queued')) {
        return builds.map((build) => ({ build, place: null }));
      }
      const { value: state } = await atOneMoment(store, () => readQueueState(store, accountId));
      const places = placesOf(state, clock.now(), limits);
      return builds.map((build) => ({ build, place: places.get(build.buildId) ?? null }));
    },
  };
}
export type Queue = ReturnType<typeof createQueue>;
