// The database of the service: SQLite in its data folder, or PostgreSQL.
import { systemClock } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import type { Config } from './config.js';
import { openDatabase } from './data-folder.js';
import type { Limits } from './platform/domain/limits.js';
import { DatabaseVersionError, migrate } from './platform/store/migrate.js';
import { migrations } from './platform/store/migrations/all.js';
import { isUnfinished, placeOf } from './platform/store/move/moved.js';
import type { Store, StoreFailedError } from './platform/store/sql.js';
import { StartError } from './start-error.js';

/** Where the database is. */
export type DatabasePlace = Pick<Config, 'data' | 'databaseUrl' | 'limits'>;

interface ServiceDatabase {
  readonly store: Store;
  /** The migrations that were applied. */
  readonly applied: string[];
  /** Lets another service use it. */
  release(): Promise<void>;
}

interface OpenOptions {
  readonly log: Log;
  readonly onFailure: (error: StoreFailedError) => void;
  /** Called when another service uses the database now: this one must end. */
  readonly onLost: (error: Error) => void;
}

/**
 * Opens the database for the one service that uses it, and applies pending migrations.
 *
 * @throws StartError if it cannot be used, is used by another service, or is of a version that this program cannot use
 */
export async function openServiceDatabase(place: DatabasePlace, options: OpenOptions): Promise<ServiceDatabase> {
  const { data, databaseUrl } = place;
  const { log, onFailure, onLost } = options;
  if (databaseUrl === null) return { ...(await openDatabase(data, { onFailure })), release: async () => undefined };
  const { lockDatabase } = await import('./platform/store/postgres/sole-process.js');
  const lock = await lockDatabase(databaseUrl, { onLost }).catch(databaseProblem(databaseUrl));
  try {
    const store = await openServer(databaseUrl, place.limits, log);
    const applied = await migrateServer(store);
    return { store, applied, release: lock.release };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Opens the database beside the service that uses it, and applies pending migrations. Throws StartError. */
export async function openDatabaseBeside({ data, databaseUrl, limits }: DatabasePlace, log: Log): Promise<Store> {
  if (databaseUrl === null) return (await openDatabase(data)).store;
  const store = await openServer(databaseUrl, limits, log);
  await migrateServer(store);
  return store;
}

/** Opens the database of PostgreSQL as it is. Throws StartError. */
export async function openServer(databaseUrl: string, limits: Limits, log: Log): Promise<Store> {
  // An installation on SQLite does not load the client.
  const { openPostgres } = await import('./platform/store/postgres/postgres.js');
  const onError = (error: Error) => log.warn({ err: error }, 'lost a connection to the database');
  const problem = databaseProblem(databaseUrl);
  const store = await openPostgres(databaseUrl, { onError, waitMs: limits.database_wait_ms }).catch(problem);
  if (await isUnfinished(store).catch(problem)) {
    await store.close();
    throw new StartError(
      `the database ${placeOf(databaseUrl)} is not complete, because a move to it was interrupted: run cidermill admin migrate again`,
    );
  }
  return store;
}

async function migrateServer(store: Store): Promise<string[]> {
  try {
    return await migrate(store, migrations, systemClock.now());
  } catch (error) {
    await store.close();
    if (error instanceof DatabaseVersionError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/** Returns what throws a StartError. Neither the address nor its password is shown: only the database's name and the server's. */
export const databaseProblem = (databaseUrl: string) => (error: unknown) => {
  const reason = error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error);
  throw new StartError(`cannot use the database ${placeOf(databaseUrl)}: ${reason}`, { cause: error });
};
