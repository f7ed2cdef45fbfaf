// Which builds something is still to be sent about.
import type { Transaction } from '../../platform/store/sql.js';
import { buildsWithStatuses } from '../store/commit-statuses.js';
import { buildsWithDeliveries } from '../store/events.js';

/**
 * Returns those of the builds with an event that has not been passed on, with a delivery (which can be sent again while
 * it is listed), or with a commit status to write.
 */
export async function undeliveredBuilds(tx: Transaction, buildIds: readonly string[]): Promise<Set<string>> {
  const found = await buildsWithDeliveries(tx, buildIds);
  for (const buildId of await buildsWithStatuses(tx, buildIds)) found.add(buildId);
  return found;
}
