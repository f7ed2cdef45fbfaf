// Finds builds with deliveries or commit statuses that are not sent yet.
import type { Transaction } from '../../platform/store/sql.js';
import { buildsWithStatuses } from '../store/commit-statuses.js';
import { buildsWithDeliveries } from '../store/events.js';

/**
 * Returns the builds that have an event not yet dispatched, a delivery (which can be sent again while it is listed), or
 * a commit status to write.
 */
export async function undeliveredBuilds(tx: Transaction, buildIds: readonly string[]): Promise<Set<string>> {
  const found = await buildsWithDeliveries(tx, buildIds);
  for (const buildId of await buildsWithStatuses(tx, buildIds)) found.add(buildId);
  return found;
}
