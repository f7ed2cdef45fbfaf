// Numbered migrations, each applied once, in order, in one transaction, which also brings the triggers of the ledger of
// records up to date.

import { packageVersion } from '../../../shared/package-version.js';
import { readMeta, writeMeta } from './meta.js';
import { functions, translated } from './postgres/schema.js';
import { dropRecordTriggers, putRecordTriggers, RECORDS_SINCE } from './record-triggers.js';
import { runStatements } from './run-statements.js';
import type { Queries, Store, Transaction } from './sql.js';

export interface Migration {
  /** Ascending without gaps; the first makes the schema in an empty database. */
  readonly id: number;
  readonly name: string;
  /** Statements, run one by one; or a function that returns them for the schema after the previous migrations. */
  readonly statements: readonly string[] | ((q: Queries) => Promise<readonly string[]>);
}

/** The database belongs to a newer version, or to one that was never released. Nothing has been changed. */
export class DatabaseVersionError extends Error {}

/** The version of the program that made the last migration. */
const SCHEMA_VERSION = 'schema_version';

/** Migrations of one minor version only add, so that its older programs work on what newer ones have made. */
const minorOf = (version: string): string => version.split('.', 2).join('.');

export interface MigrateOptions {
  /** Of this program, which is the default. */
  readonly version?: string;
  /** Whether it may use a database that a newer program of the same minor version has migrated. Default: no. */
  readonly besideNewer?: boolean;
}

/**
 * Brings the database to the newest migration and says which were applied.
 * Throws DatabaseVersionError when the database is newer than this program, or older than the first migration.
 */
export async function migrate(
  store: Store,
  migrations: readonly Migration[],
  now: number,
  { version = packageVersion(), besideNewer = false }: MigrateOptions = {},
): Promise<string[]> {
  const { dialect } = store;
  return store.transaction(async (tx) => {
    if (besideNewer && (await isOfNewerSibling(tx, migrations, version))) return [];
    const prepared = [
      'CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)',
    ];
    for (const sql of dialect === 'sqlite' ? prepared : [...functions, ...translated(prepared)]) await tx.run(sql);
    const done = await tx.all<{ id: number }>('SELECT id FROM migrations ORDER BY id');
    const newest = done.at(-1)?.id ?? 0;
    const known = migrations.at(-1)?.id ?? 0;
    if (newest > known) {
      throw new DatabaseVersionError(
        `the database is at migration ${newest}, but this version knows only ${known}: install a newer version`,
      );
    }
    const first = migrations[0]?.id ?? 0;
    if (newest > 0 && newest < first) {
      throw new DatabaseVersionError(
        `the database is at migration ${newest}, of a version before the first release; this program begins with ${first}: ` +
          'use another data folder',
      );
    }
    const applied: string[] = [];
    if (newest < known) await dropRecordTriggers(tx, dialect);
    for (const { id, name, statements } of migrations) {
      if (id <= newest) continue;
      const texts = typeof statements === 'function' ? await statements(tx) : statements;
      for (const statement of dialect === 'sqlite' ? texts : translated(texts)) {
        await runStatement(tx, name, statement);
      }
      await tx.run('INSERT INTO migrations (id, name, applied_at) VALUES (:id, :name, :now)', {
        id,
        name,
        now,
      });
      applied.push(name);
    }
    if (applied.length > 0 && known >= RECORDS_SINCE) await writeMeta(tx, SCHEMA_VERSION, version);
    if (known >= RECORDS_SINCE) await putRecordTriggers(tx, dialect);
    return applied;
  });
}

async function isOfNewerSibling(tx: Queries, migrations: readonly Migration[], version: string): Promise<boolean> {
  const table = await tx.get(`SELECT 1 FROM information_schema.tables WHERE table_name = 'migrations'
    AND table_schema = current_schema()`);
  if (table === undefined) return false;
  const { id } = (await tx.get<{ id: number | null }>('SELECT MAX(id) AS id FROM migrations')) ?? { id: null };
  if (id === null || id <= (migrations.at(-1)?.id ?? 0)) return false;
  const made = await readMeta(tx, SCHEMA_VERSION);
  return made !== null && minorOf(made) === minorOf(version);
}

async function runStatement(tx: Transaction, migration: string, statement: string): Promise<void> {
  try {
    await runStatements(tx, statement);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`migration ${migration}: ${message} (${statement.split('\n', 1)[0]})`, { cause: error });
  }
}

/** True when the database is at exactly the newest migration that this program knows. */
export async function isMigrated(store: Store, migrations: readonly Migration[]): Promise<boolean> {
  const newest = await store.get<{ id: number | null }>('SELECT MAX(id) AS id FROM migrations');
  return (newest?.id ?? 0) === (migrations.at(-1)?.id ?? 0);
}
