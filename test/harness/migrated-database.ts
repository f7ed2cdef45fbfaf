import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';

interface Migrated {
  readonly bytes: Buffer;
  readonly schema: readonly string[];
}

let made: Promise<Migrated> | undefined;

/** Creates a database with all migrations unless the file exists. Migrates once per process, then copies. */
export async function putMigratedDatabase(file: string): Promise<void> {
  if (existsSync(file)) return;
  made ??= makeOne();
  writeFileSync(file, (await made).bytes);
}

/** Opens a new migrated database, without fsync, in a temporary folder that `close` removes. */
export async function openMigrated(): Promise<Store> {
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-store-'));
  const file = join(dir, 'db');
  await putMigratedDatabase(file);
  const store = openSqlite(file, { dataSync: async () => undefined });
  return {
    ...store,
    async close() {
      await store.close();
      rmSync(dir, { recursive: true });
    },
  };
}

/** Returns all CREATE statements of a migrated database, tables first. */
export async function migratedSchema(): Promise<readonly string[]> {
  made ??= makeOne();
  return (await made).schema;
}

async function makeOne(): Promise<Migrated> {
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-migrated-'));
  try {
    const store = openSqlite(join(dir, 'db'));
    await migrate(store, migrations, 0);
    const rows = await store.all<{ sql: string }>(
      `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type <> 'table', rowid`,
    );
    await store.close();
    return { bytes: readFileSync(join(dir, 'db')), schema: rows.map(({ sql }) => sql) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}
