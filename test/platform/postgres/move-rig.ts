// Installations that are moved by the command, over a connection that can hold and kill it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { Test } from 'tap';
import { bin } from '../../../bench/service.js';
import { LIFE } from '../../../control-plane/platform/store/postgres/commit-outcome.js';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import { givenText } from '../../../control-plane/platform/store/postgres/zero-text.js';
import { recordsDifferences } from '../../../control-plane/platform/store/record-count.js';
import { printedBy } from '../../harness/admin.js';
import { startPostgresCable } from '../../harness/postgres-cable.js';

export const PASSWORD = 'sesame-open';

export function folder(t: Test): string {
  const data = mkdtempSync(join(tmpdir(), 'cidermill-move-'));
  t.teardown(() => rmSync(data, { recursive: true, force: true }));
  return data;
}

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** In a process of its own. */
export function migrateAlone(
  data: string,
  to: string,
  started: (child: ChildProcess) => void = () => {},
): Promise<Ran> {
  const args = ['migrate', '--data', data, '--to', to, '--json'];
  const { CIDERMILL_DATABASE_URL: _, ...env } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, 'admin', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (piece) => {
      stdout += piece;
    });
    child.stderr.on('data', (piece) => {
      stderr += piece;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    started(child);
  });
}

/** In this process, which takes less time. */
export async function admin(...args: readonly string[]): Promise<Ran> {
  const { code, out, err } = await printedBy(args);
  return { code, signal: null, stdout: out, stderr: err };
}

export const migrate = (data: string, to: string) => admin('migrate', '--data', data, '--to', to, '--json');

/** With a password that the server does not ask for. */
export const startCable = (t: Test, url: string) => startPostgresCable(t, url, PASSWORD);

export async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    types: { getTypeParser: () => givenText } as pg.CustomTypesConfig,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

type Rows = Readonly<Record<string, readonly string[]>>;

const written = (value: unknown) =>
  Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : typeof value === 'bigint' ? String(value) : value;
const asText = (row: Readonly<Record<string, unknown>>) =>
  JSON.stringify(
    Object.entries(row)
      .map(([name, value]) => [name, written(value)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );

/** Every row of every table, without what is of the database itself. */
export function rowsOfFile(file: string): Rows {
  const db = new Database(file, { readonly: true });
  const names = db
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'migrations'`)
    .pluck()
    .all() as string[];
  const rows = names.sort().map((name) => {
    const all = db.prepare(`SELECT * FROM "${name}"`).safeIntegers(true).all() as Record<string, unknown>[];
    return [
      name,
      all
        .filter((row) => name !== 'meta' || row.name !== 'move')
        .map(asText)
        .sort(),
    ] as const;
  });
  db.close();
  return Object.fromEntries(rows);
}

export const rowsOfServer = (url: string): Promise<Rows> =>
  onServer(url, async (client) => {
    const tables = await client.query(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_name NOT IN ('migrations', '${LIFE}')`,
    );
    const rows: [string, string[]][] = [];
    for (const { name } of tables.rows) {
      rows.push([name, (await client.query(`SELECT * FROM "${name}"`)).rows.map(asText).sort()]);
    }
    return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
  });

/** The mark of the move in the old database. */
export function moveOf(file: string): { moved: { to: string } | null } | null {
  const db = new Database(file, { readonly: true });
  const value = db.prepare(`SELECT value FROM meta WHERE name = 'move'`).pluck().get();
  db.close();
  return typeof value === 'string' ? JSON.parse(value) : null;
}

/** Requests to the API of a service. */
export async function callsOf(baseUrl: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return async (method: string, path: string, body?: object) => {
    const answer = await fetch(baseUrl + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return { status: answer.status, body: (await answer.json()) as { id: string; status: string } };
  };
}

/** Where the ledger of records differs from a recount. */
export async function differencesOn(url: string) {
  const store = await openPostgres(url, { connections: 1 });
  const found = await recordsDifferences(store, { dialect: 'postgres', pageRows: 100, rest: async () => undefined });
  await store.close();
  return found;
}

/** Lets the old database be looked at with the objects of the one that it was moved to. */
export async function putObjectsId(file: string, url: string): Promise<void> {
  const [value] = await onServer(url, async (client) =>
    (await client.query(`SELECT value FROM meta WHERE name = 'objects_id'`)).rows.map((row) => row.value),
  );
  const db = new Database(file);
  db.exec(`DELETE FROM meta WHERE name = 'move'`);
  db.prepare(`INSERT INTO meta (name, value) VALUES ('objects_id', ?)`).run(value);
  db.close();
}
