// Deletes log files of builds that do not exist or whose log has been deleted. They remain when the process is killed
// between the commit and the deletion of files, or when an older database is restored.
import type { Core } from '../../platform/app/core.js';
import type { BuildLogs } from '../logs/build-logs.js';
import { buildsWithLogs } from '../store/build-retention.js';

export interface OrphanLogsDeps extends Pick<Core, 'store'> {
  readonly logs: BuildLogs;
}

/**
 * Returns the number of deleted logs.
 *
 * @param before younger files are left, ms since the epoch
 */
export async function sweepOrphanLogs({ store, logs }: OrphanLogsDeps, before: number): Promise<number> {
  let removed = 0;
  for await (const found of logs.list()) {
    const known = await buildsWithLogs(store, found);
    // After a power loss a row deleted just now could reappear, but its log could not.
    await store.durable();
    for (const buildId of found) {
      if (known.has(buildId)) continue;
      const writtenAt = await logs.writtenAt(buildId);
      if (writtenAt === null || writtenAt >= before) continue;
      await logs.remove(buildId);
      removed++;
    }
  }
  return removed;
}
