// The database of the service: SQLite in its data folder, or PostgreSQL, which several processes may use at a time.
import { systemClock } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import { packageVersion } from '../shared/package-version.js';
import type { Config } from './config.js';
import { openDatabase } from './data-folder.js';
import { forgetProcesses, type OwnProcess, soleProcess } from './platform/app/processes.js';
import type { SeveralOptions } from './platform/app/several-processes.js';
import type { Limits } from './platform/domain/limits.js';
import { DatabaseVersionError, type MigrateOptions, migrate } from './platform/store/migrate.js';
import { migrations, newestMigration } from './platform/store/migrations/all.js';
import { isUnfinished, placeOf } from './platform/store/move/moved.js';
import type { PostgresStore } from './platform/store/postgres/postgres.js';
import type { Store, StoreFailedError } from './platform/store/sql.js';
import { StartError } from './start-error.js';

/** Where the database is. */
export type DatabasePlace = Pick<Config, 'data' | 'databaseUrl' | 'objects' | 'limits'>;

interface ServiceDatabase {
  readonly store: Store;
  /** The migrations that were applied. */
  readonly applied: string[];
  /** This process, among those that use it. */
  readonly processes: OwnProcess;
  /** Lets another service use it. */
  release(): Promise<void>;
}

interface OpenOptions {
  readonly log: Log;
  /** Of the key that secrets are sealed with. */
  readonly keyId: () => string;
  readonly onFailure: (error: StoreFailedError) => void;
  /** Called when others have taken over what this process had: it must end. */
  readonly onLost: (error: Error) => void;
}

/** Where contents and logs are in a place that processes share, several may use the database. */
const isShared = ({ databaseUrl, objects }: DatabasePlace) => databaseUrl !== null && objects !== null;

/**
 * Opens the database for the service, alone or together with other processes of it, and applies pending migrations.
 *
 * @throws StartError if it cannot be used, is used by another service, or is of a version that this program cannot use
 */
export async function openServiceDatabase(place: DatabasePlace, options: OpenOptions): Promise<ServiceDatabase> {
  const { data, databaseUrl: url } = place;
  const { log, keyId, onFailure, onLost } = options;
  const about = { version: packageVersion(), schemaId: newestMigration, keyId };
  const alone = () => soleProcess({ ...about, clock: systemClock });
  if (url === null) {
    return { ...(await openDatabase(data, { onFailure })), processes: alone(), release: async () => undefined };
  }
  const { lockDatabase } = await import('./platform/store/postgres/database-lock.js');
  const shared = isShared(place);
  const lock = await lockDatabase(url, { onLost, shared }).catch(databaseProblem(url));
  let store: PostgresStore | null = null;
  try {
    store = await openServer(url, place.limits, log);
    const applied = await migrateServer(store, url, { besideNewer: shared });
    const processes = shared ? await join({ ...about, url, store, log, onGivenUp: onLost }) : alone();
    if (!shared) await forgetProcesses(store);
    return { store, applied, processes, release: lock.release };
  } catch (error) {
    await store?.close();
    await lock.release();
    throw error;
  }
}

async function join(options: SeveralOptions): Promise<OwnProcess> {
  // An installation on SQLite does not load the client.
  const { joinProcesses, OtherKeyError } = await import('./platform/app/several-processes.js');
  return joinProcesses(options).catch((error: unknown) => {
    if (!(error instanceof OtherKeyError)) throw error;
    const other = `the file secret.key in the data folder is not that of ${error.message}, which uses the same database`;
    throw new StartError(`${other}: copy that file, readable for the service's user only`, { cause: error });
  });
}

/** Opens the database beside the service that uses it, and applies pending migrations. Throws StartError. */
export async function openDatabaseBeside({ data, databaseUrl, limits }: DatabasePlace, log: Log): Promise<Store> {
  if (databaseUrl === null) return (await openDatabase(data)).store;
  const store = await openServer(databaseUrl, limits, log);
  try {
    await migrateServer(store, databaseUrl, {});
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Opens the database of PostgreSQL as it is. Throws StartError. */
export async function openServer(databaseUrl: string, limits: Limits, log: Log): Promise<PostgresStore> {
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

async function migrateServer(store: Store, url: string, options: MigrateOptions): Promise<string[]> {
  const { whileNoOtherMigrates } = await import('./platform/store/postgres/database-lock.js');
  try {
    return await whileNoOtherMigrates(url, () => migrate(store, migrations, systemClock.now(), options));
  } catch (error) {
    if (error instanceof DatabaseVersionError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/** Returns what throws a StartError. Neither the address nor its password is shown: only the database's name and the server's. */
export const databaseProblem = (databaseUrl: string) => (error: unknown) => {
  const reason = error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error);
  throw new StartError(`cannot use the database ${placeOf(databaseUrl)}: ${reason}`, { cause: error });
};
