// What several processes on one database count and lock together.
import type { Log } from '../shared/log.js';
import type { Config } from './config.js';
import { databaseProblem } from './database.js';
import type { SharedState } from './platform/domain/shared-state.js';

/** @throws StartError if there is no connection; Error on SQLite, which one process uses */
export async function openShared({ databaseUrl, limits }: Config, log: Log): Promise<SharedState> {
  if (databaseUrl === null) throw new Error('one process alone uses SQLite');
  // An installation on SQLite does not load the client.
  const { openSharedState } = await import('./platform/store/postgres/shared/shared-state.js');
  return openSharedState(databaseUrl, {
    waitMs: limits.database_wait_ms,
    onError: (error) => log.warn({ err: error }, 'what is counted together with other processes is late'),
  }).catch(databaseProblem(databaseUrl));
}
