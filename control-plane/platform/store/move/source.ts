// The SQLite database of an installation that is moved. No other program can open it meanwhile.
import Database from 'better-sqlite3';
import { readMeta, writeMeta } from '../meta.js';
import { DatabaseVersionError, type Migration } from '../migrate.js';
import { storedText } from '../postgres/zero-text.js';
import { recordTables } from '../record-tables.js';
import { isBusy, queriesOn } from '../sqlite-queries.js';
import type { TextRow } from './checksum.js';
import { MOVE, type Move, MoveRefused, parseMove } from './moved.js';

const BUSY_MS = 2_000;

interface Column {
  readonly name: string;
  readonly type: string;
}

export interface MovedTableShape {
  readonly name: string;
  /** Without those that the database generates. */
  readonly columns: readonly Column[];
  /** Columns of the primary key. */
  readonly key: readonly string[];
  /** The largest number that was ever assigned, as far as SQLite keeps it. */
  readonly assigned: number | null;
}

export interface Source {
  /** All except `migrations`, which says how each database was made; each after those that it refers to. */
  readonly tables: readonly MovedTableShape[];
  move(): Promise<Move | null>;
  /** On disk when it resolves. */
  recordMove(move: Move): Promise<void>;
  /** In the order of the primary key. Throws MoveRefused for a value that cannot be moved. */
  rows(table: MovedTableShape): Iterable<TextRow>;
  close(): void;
}

/**
 * Opens the database for this process alone.
 *
 * @throws MoveRefused if another program has it open; DatabaseVersionError if it is not at the newest migration
 */
export function openSource(file: string, migrations: readonly Migration[]): Source {
  const db = new Database(file, { fileMustExist: true, timeout: BUSY_MS });
  try {
    lockAlone(db);
    checkVersion(db, migrations);
    const tables = tablesOf(db);
    const queries = queriesOn(db);
    return {
      tables,
      move: async () => parseMove(await readMeta(queries, MOVE)),
      recordMove: (move) => writeMeta(queries, MOVE, JSON.stringify(move)),
      rows: (table) => rowsOf(db, table),
      close: () => void db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function lockAlone(db: Database.Database): void {
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('synchronous = FULL');
    db.pragma('fullfsync = ON');
    // The lock is taken with the first transaction, and held until the database is closed.
    db.exec('BEGIN IMMEDIATE; COMMIT');
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new MoveRefused(
      `${db.name} is open in another program: end commands that run on it, and programs that replicate it`,
      { cause: error },
    );
  }
}

function checkVersion(db: Database.Database, migrations: readonly Migration[]): void {
  const known = migrations.at(-1)?.id ?? 0;
  const made = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'migrations'`).get();
  if (made === undefined) throw new DatabaseVersionError('this is not a database of the service');
  const newest = db.prepare<[], number | null>('SELECT MAX(id) FROM migrations').pluck().get() ?? 0;
  if (newest === known) return;
  throw new DatabaseVersionError(
    newest > known
      ? `the database is at migration ${newest}, this program knows ${known}: install a newer one`
      : `the database is at migration ${newest}, this program needs ${known}: start this version of the service once`,
  );
}

function tablesOf(db: Database.Database): MovedTableShape[] {
  // Other programs may have tables of their own in it.
  const names = Object.keys(recordTables).filter((name) => name !== 'migrations');
  const assigned = db.prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck();
  const shapes = new Map(
    names.map((name) => {
      const columns = db
        .prepare<[string], Column & { pk: number }>('SELECT name, type, pk FROM pragma_table_info(?)')
        .all(name);
      const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
      if (key.length === 0) throw new Error(`the table ${name} has no primary key`);
      return [name, { name, columns, key: key.map((column) => column.name), assigned: assigned.get(name) ?? null }];
    }),
  );
  const references = db.prepare<[string], string>('SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)').pluck();
  return inOrder(names, (name) => references.all(name)).flatMap((name) => shapes.get(name) ?? []);
}

/** @returns each name after those that it refers to */
function inOrder(names: readonly string[], referencesOf: (name: string) => readonly string[]): string[] {
  const done = new Set<string>();
  const add = (name: string, from: readonly string[]) => {
    if (done.has(name)) return;
    if (from.includes(name)) throw new Error(`tables refer to each other: ${[...from, name].join(', ')}`);
    for (const other of referencesOf(name)) if (other !== name) add(other, [...from, name]);
    done.add(name);
  };
  for (const name of names) add(name, []);
  return [...done];
}

function* rowsOf(db: Database.Database, { name, columns, key }: MovedTableShape): Iterable<TextRow> {
  const list = (of: readonly string[]) => of.map((column) => `"${column}"`).join(', ');
  const where = name === 'meta' ? `WHERE name <> '${MOVE}'` : '';
  const rows = db
    .prepare<[], unknown[]>(
      `SELECT ${list(columns.map((column) => column.name))} FROM "${name}" ${where} ORDER BY ${list(key)}`,
    )
    .raw(true)
    .safeIntegers(true);
  for (const row of rows.iterate()) {
    yield columns.map((column, at) => {
      const { text, problem } = textOf(row[at], column, key.includes(column.name));
      if (problem === undefined) return text;
      const place = key.map((part) => `${part} ${row[columns.findIndex((one) => one.name === part)]}`).join(', ');
      throw new MoveRefused(
        `the row ${place} of the table ${name} has ${problem} in ${column.name}, which cannot be moved`,
      );
    });
  }
}

function textOf(value: unknown, { type }: Column, isKey: boolean): { text: string | null; problem?: string } {
  if (value === null) return { text: null };
  if (type === 'INTEGER' && typeof value === 'bigint') return { text: String(value) };
  if (type === 'BLOB' && Buffer.isBuffer(value)) return { text: `\\x${value.toString('hex')}` };
  if (type !== 'TEXT' || typeof value !== 'string') return { text: null, problem: `a value that is no ${type}` };
  // On PostgreSQL it would be in another place of the order.
  if (isKey && storedText(value) !== value) return { text: null, problem: 'the character NUL, U+FFFFE or U+10FFFE' };
  return { text: value };
}
