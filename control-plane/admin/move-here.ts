// Moves the installation of a data folder to PostgreSQL, or its files into an object store, or both, while its service does not run.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { checkFolderOwner } from '../../shared/private-folder.js';
import { type Config, postgresUrl, readConfig } from '../config.js';
import { dataFolder, lockDataFolder, openDatabase } from '../data-folder.js';
import { databaseProblem, openDatabaseBeside } from '../database.js';
import type { MovedObjects } from '../platform/domain/moved-objects.js';
import { DatabaseVersionError } from '../platform/store/migrate.js';
import { migrations } from '../platform/store/migrations/all.js';
import { type Moved, type Moving, move } from '../platform/store/move/move.js';
import { type Move, MoveRefused, placeOf } from '../platform/store/move/moved.js';
import { openSource, type Source } from '../platform/store/move/source.js';
import { checkTarget, type MoveTarget, openTarget } from '../platform/store/move/target.js';
import { lockDatabase } from '../platform/store/postgres/database-lock.js';
import { openPostgres } from '../platform/store/postgres/postgres.js';
import type { Store } from '../platform/store/sql.js';
import { StartError } from '../start-error.js';
import { UsageError } from './command.js';
import { type CopiedObjects, copyObjects, useObjects } from './move-objects.js';
import { NoDatabaseError } from './no-database.js';

/** A move that was killed may hold the lock of the database for a moment, ms. */
const PATIENCE_MS = 2_000;

export interface MoveOptions {
  /** Of the database on PostgreSQL; null: the database stays where it is. */
  readonly to: string | null;
  /** As CIDERMILL_OBJECTS; null: files stay where they are. */
  readonly objects: string | null;
  readonly evenLost: boolean;
  /** Tells the operator something before the end. */
  note(text: string): void;
  progress(text: string): void;
}

export interface MovedHere {
  /** Null: the rows stayed where they were. */
  readonly rows: Moved | null;
  /** Null: the files stayed where they were. */
  readonly objects: (MovedObjects & { readonly before: boolean }) | null;
}

interface Held {
  readonly data: string;
  readonly database: string;
  readonly options: MoveOptions;
  readonly config: Config;
  readonly signal: AbortSignal;
  onLost(error: Error): void;
  /** Ends a resource with the command, in the reverse order. */
  held<T>(resource: T, end: () => void | Promise<void>): T;
}

/**
 * Throws MoveRefused if it cannot begin or go on as asked, and NoDatabaseError. The package of the command line, which has
 * no database, has an error instead (tools/package).
 */
export async function moveHere(folder: string, options: MoveOptions): Promise<MovedHere> {
  const url = options.to === null ? null : checked(options.to);
  const config = readConfig(process.env, { CIDERMILL_OBJECTS: options.objects ?? '' });
  const data = resolve(folder);
  const { database, lock: lockFile } = dataFolder(data);
  const hasFile = existsSync(database);
  if (!existsSync(data) || (!hasFile && (url === null || options.objects === null)))
    throw new NoDatabaseError(`there is no database in ${data}: give --data`);
  checkFolderOwner(data);
  const ends: (() => void | Promise<void>)[] = [];
  const lost = new AbortController();
  const here: Held = {
    data,
    database,
    options,
    config,
    signal: lost.signal,
    onLost: (error) => lost.abort(error),
    held: (resource, end) => {
      ends.unshift(end);
      return resource;
    },
  };
  try {
    const lock = lockDataFolder(data, lockFile);
    here.held(lock, lock.release);
    if (url === null) return await filesOf(here, async () => (await openDatabase(data)).store);
    return await toServer(here, url, hasFile ? await moveOf(database) : 'no file');
  } catch (error) {
    throw error instanceof StartError ? new MoveRefused(error.message, { cause: error }) : error;
  } finally {
    for (const end of ends) await end();
  }
}

/** Moves the files of an installation whose database stays where it is. */
async function filesOf(here: Held, open: () => Promise<Store>): Promise<MovedHere> {
  const store = await open();
  here.held(store, store.close);
  const copied = await copy(here, store);
  if (copied === null) return { rows: null, objects: null };
  here.signal.throwIfAborted();
  await useObjects(store, copied);
  return { rows: null, objects: { ...copied.objects, before: copied.before } };
}

/** @param begun what the old database says of a move; `no file`: there is no old database */
async function toServer(here: Held, url: string, begun: Move | null | 'no file'): Promise<MovedHere> {
  const { held, data, onLost, options, config } = here;
  const connect = databaseProblem(url);
  const databaseLock = await lockDatabase(url, { onLost, patienceMs: PATIENCE_MS }).catch(connect);
  held(databaseLock, databaseLock.release);
  const onServer = async () =>
    (
      await filesOf(here, () =>
        openDatabaseBeside({ data, databaseUrl: url, limits: config.limits, objects: config.objects }, adminLog()),
      )
    ).objects;
  if (begun === 'no file') return { rows: null, objects: await onServer() };
  const target = await openTarget(url).catch(connect);
  held(target, target.close);
  if (begun?.moved) {
    const rows = await moveRows(here, url, target, {});
    return { rows, objects: options.objects === null ? null : await onServer() };
  }
  // What cannot begin is refused before files are copied.
  await checkTarget(target, begun?.id ?? null, placeOf(url));
  const copied = await beforeTheRows(here);
  const rows = await moveRows(here, url, target, copied?.meta ?? {});
  return { rows, objects: copied && { ...copied.objects, before: copied.before } };
}

async function moveRows(here: Held, url: string, target: MoveTarget, meta: Moving['meta']): Promise<Moved> {
  const { held, database, signal, options } = here;
  const place = placeOf(url);
  const store = await openPostgres(url, { connections: 1 }).catch(databaseProblem(url));
  held(store, store.close);
  const source = open(database);
  held(source, source.close);
  const now = systemClock.now();
  const { note, progress } = options;
  const moving = { source, target, store, place, migrations, now, meta, signal, note, progress };
  return move(moving).catch((error) => {
    if (error instanceof MoveRefused) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`the move to the database ${place} has failed: ${message}. Run it again.`, { cause: error });
  });
}

const adminLog = () => createLog('admin', 'warn');

/** Copies the files while the old database is the one in use; the new one says that they are used. */
async function beforeTheRows(here: Held): Promise<CopiedObjects | null> {
  if (here.options.objects === null) return null;
  const { store } = await openDatabase(here.data);
  try {
    return await copy(here, store);
  } finally {
    await store.close();
  }
}

async function copy(here: Held, store: Store): Promise<CopiedObjects | null> {
  const { data, config, signal, options } = here;
  const { objects, limits } = config;
  if (objects === null) return null;
  return copyObjects(store, { ...options, data, config: { objects, limits }, log: adminLog(), signal });
}

async function moveOf(database: string): Promise<Move | null> {
  const source = open(database);
  try {
    return await source.move();
  } finally {
    source.close();
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
