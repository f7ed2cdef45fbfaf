// Moves the rows of an installation from SQLite to PostgreSQL. Killed at any instant and run again, it ends the same.
import { randomUUID } from 'node:crypto';
import { type Migration, migrate } from '../migrate.js';
import type { Store } from '../sql.js';
import { type MovedRows, type MovedTable, MoveRefused } from './moved.js';
import type { Source } from './source.js';
import { checkTarget, type MoveTarget } from './target.js';

export interface Moving {
  readonly source: Source;
  readonly target: MoveTarget;
  /** The target, as the store port has it. */
  readonly store: Store;
  /** Of the target, without the password. */
  readonly place: string;
  readonly migrations: readonly Migration[];
  readonly now: number;
  /** Further values of `meta` in the target. */
  readonly meta: Readonly<Record<string, string>>;
  /** Aborted when another service has taken the target. */
  readonly signal: AbortSignal;
  note(text: string): void;
  /** Shows how far it is. */
  progress(text: string): void;
}

export interface Moved {
  readonly to: string;
  /** By name. */
  readonly tables: readonly MovedTable[];
  /** It had been moved by an earlier run. */
  readonly before: boolean;
}

/** Throws MoveRefused if it cannot begin or go on as asked. The source changes only when everything is compared. */
export async function move(moving: Moving): Promise<Moved> {
  const { source, target, place, meta, note, signal } = moving;
  const begun = await source.move();
  if (begun?.moved) return finishEarlier(moving, begun.id, begun.moved);
  const state = await checkTarget(target, begun?.id ?? null, place);
  const id = begun?.id ?? randomUUID();
  if (begun === null) await source.recordMove({ id, moved: null });
  if (state === 'empty') await target.begin(id);
  else
    note(
      `an earlier move to the database ${place} was interrupted: the database is emptied, and the move starts again`,
    );
  const tables = await copyAll(moving);
  signal.throwIfAborted();
  // From here on the new database is the one in use, once its mark is gone.
  await source.recordMove({ id, moved: { to: place, tables, meta } });
  await target.end(meta);
  return { to: place, tables, before: false };
}

async function finishEarlier(
  { target, place }: Moving,
  id: string,
  { to, tables, meta = {} }: MovedRows,
): Promise<Moved> {
  if (to !== place) throw new MoveRefused(`this installation has been moved to the database ${to} already`);
  if ((await target.unfinished()) === id) await target.end(meta);
  return { to, tables, before: true };
}

/** Makes the tables, copies all rows and compares both sides. Throws if they differ. */
async function copyAll({ source, target, store, migrations, now, signal, progress }: Moving): Promise<MovedTable[]> {
  await target.clear();
  await migrate(store, migrations, now);
  // Rows that migrations have made.
  await target.clear();
  const sent: MovedTable[] = [];
  for (const [at, table] of source.tables.entries()) {
    progress(`table ${at + 1} of ${source.tables.length}: ${table.name}`);
    sent.push(await target.copy(table, source.rows(table), signal));
  }
  await target.complete(source.tables);
  for (const [at, table] of source.tables.entries()) {
    progress(`comparing table ${at + 1} of ${source.tables.length}: ${table.name}`);
    const copied = await target.checksum(table, signal);
    const { rows, sha256 } = sent[at] as MovedTable;
    if (copied.rows === rows && copied.sha256 === sha256) continue;
    throw new Error(
      `the copy of the table ${table.name} differs: ${rows} rows, sha256 ${sha256}; copied ${copied.rows} rows, sha256 ${copied.sha256}`,
    );
  }
  return sent.sort((one, other) => (one.table < other.table ? -1 : 1));
}
