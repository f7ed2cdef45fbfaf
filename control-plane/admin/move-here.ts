// Moves the installation of a data folder to PostgreSQL, while its service does not run.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../../shared/clock.js';
import { checkFolderOwner } from '../../shared/private-folder.js';
import { postgresUrl } from '../config.js';
import { dataFolder, lockDataFolder } from '../data-folder.js';
import { databaseProblem } from '../database.js';
import { DatabaseVersionError } from '../platform/store/migrate.js';
import { migrations } from '../platform/store/migrations/all.js';
import { type Moved, move } from '../platform/store/move/move.js';
import { MoveRefused, placeOf } from '../platform/store/move/moved.js';
import { openSource, type Source } from '../platform/store/move/source.js';
import { openTarget } from '../platform/store/move/target.js';
import { lockDatabase } from '../platform/store/postgres/database-lock.js';
import { openPostgres } from '../platform/store/postgres/postgres.js';
import { StartError } from '../start-error.js';
import { UsageError } from './command.js';
import { NoDatabaseError } from './no-database.js';

/** A move that was killed may hold the lock of the database for a moment, ms. */
const PATIENCE_MS = 2_000;

/**
 * Throws MoveRefused if it cannot begin or go on as asked, and NoDatabaseError. The package of the command line, which has
 * no database, has an error instead (tools/package).
 *
 * @param address of the database on PostgreSQL
 * @param note tells the operator something before the end
 */
export async function moveHere(folder: string, address: string, note: (text: string) => void): Promise<Moved> {
  const url = checked(address);
  const data = resolve(folder);
  const { database, lock: lockFile } = dataFolder(data);
  if (!existsSync(database)) throw new NoDatabaseError(`there is no database in ${data}: give --data`);
  checkFolderOwner(data);
  const ends: (() => void | Promise<void>)[] = [];
  const held = <T>(resource: T, end: () => void | Promise<void>): T => {
    ends.unshift(end);
    return resource;
  };
  try {
    const lock = lockDataFolder(data, lockFile);
    held(lock, lock.release);
    const source = open(database);
    held(source, source.close);
    const lost = new AbortController();
    const onLost = (error: Error) => lost.abort(error);
    const connect = databaseProblem(url);
    const databaseLock = await lockDatabase(url, { onLost, patienceMs: PATIENCE_MS }).catch(connect);
    held(databaseLock, databaseLock.release);
    const store = await openPostgres(url, { connections: 1 }).catch(connect);
    held(store, store.close);
    const target = await openTarget(url).catch(connect);
    held(target, target.close);
    const place = placeOf(url);
    const now = systemClock.now();
    return await move({ source, target, store, place, migrations, now, signal: lost.signal, note }).catch((error) => {
      if (error instanceof MoveRefused) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`the move to the database ${place} has failed: ${message}. Run it again.`, { cause: error });
    });
  } catch (error) {
    throw error instanceof StartError ? new MoveRefused(error.message, { cause: error }) : error;
  } finally {
    for (const end of ends) await end();
  }
}

function checked(address: string): string {
  try {
    return postgresUrl(address);
  } catch (error) {
    throw new UsageError(`option --to: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function open(database: string): Source {
  try {
    return openSource(database, migrations);
  } catch (error) {
    if (error instanceof DatabaseVersionError) throw new NoDatabaseError(error.message, { cause: error });
    throw error;
  }
}
