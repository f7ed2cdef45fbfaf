// The events of a build, and what became of their deliveries.
import type { ApiKeys } from '../../access/app/api-keys.js';
import { findBuildOfAnyAccount } from '../../builds/app/build-lookup.js';
import { isInScope, type Scope } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { buildsWithStatuses } from '../store/commit-statuses.js';
import { deliveriesOfEvents, type EventDelivery } from '../store/deliveries.js';
import { type BuildEventRow, buildsWithDeliveries, eventsOfBuild } from '../store/events.js';

export interface DeliveredEvent {
  readonly event: BuildEventRow;
  readonly deliveries: readonly EventDelivery[];
}

export type BuildEvents = ReturnType<typeof createBuildEvents>;

/** A build has a handful of events; one that stalls often has more. */
const MOST = 200;

export interface ToldEvents {
  readonly events: readonly DeliveredEvent[];
  /** The key that submitted the build; null: a person in the console. */
  readonly key: { readonly keyId: string; readonly name: string } | null;
}

export function createBuildEvents({ store, apiKeys }: { store: Queries; apiKeys: Pick<ApiKeys, 'find'> }) {
  /** Returns the events in order, at most the newest 200. Throws build_not_found. */
  return async function eventsOf(scope: Scope, buildId: string): Promise<ToldEvents> {
    const build = await findBuildOfAnyAccount(store, buildId);
    if (!build || !isInScope(scope, build)) throw new ApiError('build_not_found');
    const events = await eventsOfBuild(store, { accountId: build.accountId, buildId, limit: MOST });
    const deliveries = await deliveriesOfEvents(
      store,
      events.map(({ eventId }) => eventId),
    );
    return {
      events: events.map((event) => ({ event, deliveries: deliveries.get(event.eventId) ?? [] })),
      key: build.keyId === null ? null : await apiKeys.find(build.accountId, build.keyId),
    };
  };
}

/**
 * Returns the builds that have an event not yet dispatched, a delivery (which can be sent again while it is listed), or
 * a commit status to write.
 */
export async function undeliveredBuilds(tx: Transaction, buildIds: readonly string[]): Promise<Set<string>> {
  const found = await buildsWithDeliveries(tx, buildIds);
  for (const buildId of await buildsWithStatuses(tx, buildIds)) found.add(buildId);
  return found;
}
