// The database of a data folder, with what all capabilities need of the service around it.
import { existsSync } from 'node:fs';
import { type Clock, createAdvancingClock, systemClock } from '../../shared/clock.js';
import { createLog, type Log } from '../../shared/log.js';
import { checkFolderOwner } from '../../shared/private-folder.js';
import { type Base, composeBase } from '../compose/platform.js';
import { readConfig } from '../config.js';
import { dataFolder } from '../data-folder.js';
import { openServer } from '../database.js';
import { onlooker } from '../platform/app/processes.js';
import type { Limits } from '../platform/domain/limits.js';
import { lockedAddress } from '../platform/store/folder-lock.js';
import { readClockOffset } from '../platform/store/meta.js';
import { isMigrated } from '../platform/store/migrate.js';
import { migrations } from '../platform/store/migrations/all.js';
import { movedProblem } from '../platform/store/move/moved.js';
import { WAKE_EVERYTHING } from '../platform/store/processes.js';
import type { Store } from '../platform/store/sql.js';
import { openSqlite } from '../platform/store/sqlite.js';
import { StartError } from '../start-error.js';
import { NoDatabaseError } from './no-database.js';

/**
 * Throws NoDatabaseError. Close its store.
 *
 * @param options.evenMoved opens the SQLite database that was left when the installation was moved to PostgreSQL
 */
export async function openBase(data: string, { evenMoved = false } = {}): Promise<Base> {
  const { database, lock } = dataFolder(data);
  const config = { ...readConfig(process.env), data };
  const log = createLog('admin', 'warn');
  if (!existsSync(config.databaseUrl === null ? database : data)) {
    throw new NoDatabaseError(`there is no database in ${data}: start the service there once, or give --data`);
  }
  // The service could not read files of another user.
  checkFolderOwner(data);
  const store =
    config.databaseUrl === null ? openSqlite(database) : await serverOf(config.databaseUrl, config.limits, log);
  try {
    await checkVersion(store);
    const moved = store.dialect === 'sqlite' && !evenMoved ? await movedProblem(store, data) : null;
    if (moved !== null) throw new NoDatabaseError(moved);
    return composeBase({
      store,
      processes: onlooker(store),
      clock: await serviceClock(store),
      log,
      config,
      // For the addresses of invitations; empty if the service neither runs nor is configured here.
      siteUrl: config.http.siteUrl ?? lockedAddress(lock) ?? '',
      // Only the service has the configuration of the mail server.
      mail: 'pending',
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

function serverOf(databaseUrl: string, limits: Limits, log: Log): Promise<Store> {
  return openServer(databaseUrl, limits, log).then(telling, (error: unknown) => {
    throw error instanceof StartError ? new NoDatabaseError(error.message, { cause: error }) : error;
  });
}

/** When a command has written, it tells the processes of the service to look, if they listen. */
function telling(store: Store): Store {
  let wrote = false;
  const noting = <T>(result: Promise<T>) => {
    wrote = true;
    return result;
  };
  return {
    ...store,
    run: (...given) => noting(store.run(...given)),
    transaction: (fn) => noting(store.transaction(fn)),
    async close() {
      if (wrote) await store.get(WAKE_EVERYTHING);
      await store.close();
    },
  };
}

/** Returns the service's clock. A test clock may be ahead of real time, and rows must have its time. */
async function serviceClock(store: Store): Promise<Clock> {
  const offset = await readClockOffset(store);
  return offset === 0 ? systemClock : createAdvancingClock({ base: systemClock, offset });
}

async function checkVersion(store: Store): Promise<void> {
  const migrated = await isMigrated(store, migrations).catch((cause: unknown) => {
    throw new NoDatabaseError('this is not a database of the service', { cause });
  });
  if (!migrated) {
    throw new NoDatabaseError('the database is of another version: start this version of the service once');
  }
}
