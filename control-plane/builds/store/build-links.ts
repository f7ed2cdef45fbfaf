// Links that show a build: of all that were created, those of the current series are valid.
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { builds } from './builds.js';

const linkStates = builds.pick('accountId', 'workspaceId', 'linkSeries');

/** Returns the place of a build of any account and its current series; null if there is no such build. */
export const findLinkState = (q: Queries, buildId: string) =>
  linkStates.get(q, 'WHERE build_id = :buildId', { buildId });

/** Withdraws all links of the build. */
export async function beginLinkSeries(tx: Transaction, buildId: string): Promise<void> {
  await tx.run('UPDATE builds SET link_series = link_series + 1 WHERE build_id = :buildId', { buildId });
}
