// The database on PostgreSQL to which an installation is moved.
import pg from 'pg';
import { LIFE } from '../postgres/commit-outcome.js';
import { givenText, storedText } from '../postgres/zero-text.js';
import { createChecksum, type TextRow } from './checksum.js';
import { type MovedTable, MoveRefused, UNFINISHED } from './moved.js';
import type { MovedTableShape } from './source.js';

const CONNECT_MS = 5_000;
/** Rows of a statement: as many as fit, at most these. */
const CHUNK_ROWS = 1_000;
const CHUNK_CHARS = 1024 * 1024;
const READ_ROWS = 200;

const TYPES: Readonly<Record<string, string>> = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea' };

const stored = (value: string | null | undefined) => (typeof value === 'string' ? storedText(value) : null);
const given = (value: string | null) => (value === null ? null : givenText(value));
const listed = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ');

export interface MoveTarget {
  /** The id of the move that was begun here and has not ended; null if there is none. */
  unfinished(): Promise<string | null>;
  /** Whether it holds tables. */
  isEmpty(): Promise<boolean>;
  begin(id: string): Promise<void>;
  /** Deletes all rows, except of the lists of migrations and unfinished moves; triggers on rows do not run from now on. */
  clear(): Promise<void>;
  /** @returns what was sent */
  copy(table: MovedTableShape, rows: Iterable<TextRow>, signal: AbortSignal): Promise<MovedTable>;
  /** Triggers run again, the next assigned numbers follow those that were copied, and the planner knows the tables. */
  complete(tables: readonly MovedTableShape[]): Promise<void>;
  checksum(table: MovedTableShape, signal: AbortSignal): Promise<MovedTable>;
  /** The database is whole. @param meta further values of `meta`, written in the same transaction */
  end(meta: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

/** Connects. Throws the client's error if there is no connection. */
export async function openTarget(url: string): Promise<MoveTarget> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'cidermill migrate',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    // All values stay text, as the server has it.
    types: { getTypeParser: () => (text: string) => text } as pg.CustomTypesConfig,
  });
  // A lost connection fails the query that uses it.
  client.on('error', () => undefined);
  // A connection that cannot be closed in order is closed already.
  const close = () => client.end().catch(() => undefined);
  try {
    await client.connect();
    await client.query(`SET bytea_output = 'hex'`);
  } catch (error) {
    await close();
    throw error;
  }
  const tables = async (): Promise<string[]> => {
    const { rows } = await client.query(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm')`,
    );
    // Each program that opens a database makes that table. It says nothing about an installation.
    return rows.map(({ name }) => name).filter((name) => name !== LIFE);
  };
  return {
    async unfinished() {
      if (!(await tables()).includes(UNFINISHED)) return null;
      return (await client.query(`SELECT id FROM ${UNFINISHED}`)).rows[0]?.id ?? null;
    },
    isEmpty: async () => (await tables()).length === 0,
    async begin(id) {
      await client.query(`CREATE TABLE ${UNFINISHED} AS SELECT ${client.escapeLiteral(id)}::text AS id`);
    },
    async clear() {
      const all = (await tables()).filter((name) => name !== UNFINISHED && name !== 'migrations');
      if (all.length === 0) return;
      await client.query(`TRUNCATE ${listed(all)} RESTART IDENTITY`);
      for (const name of all) await client.query(`ALTER TABLE "${name}" DISABLE TRIGGER USER`);
    },
    copy: (table, rows, signal) => copyRows(client, table, rows, signal),
    async complete(moved) {
      await client.query('BEGIN');
      for (const table of moved) {
        await client.query(`ALTER TABLE "${table.name}" ENABLE TRIGGER USER`);
        await continueNumbers(client, table);
      }
      await client.query('COMMIT');
      await client.query(`ANALYZE ${listed(moved.map(({ name }) => name))}`);
    },
    checksum: (table, signal) => checksumOf(client, table, signal),
    async end(meta) {
      await client.query('BEGIN');
      for (const [name, value] of Object.entries(meta))
        await client.query(
          'INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
          [name, storedText(value)],
        );
      await client.query(`DROP TABLE IF EXISTS ${UNFINISHED}`);
      await client.query('COMMIT');
    },
    close,
  };
}

async function copyRows(
  client: pg.Client,
  { name, columns }: MovedTableShape,
  rows: Iterable<TextRow>,
  signal: AbortSignal,
): Promise<MovedTable> {
  const arrays = columns.map(({ type }, at) => `$${at + 1}::${TYPES[type]}[]`);
  const text = `INSERT INTO "${name}" (${listed(columns.map((column) => column.name))}) SELECT * FROM unnest(${arrays.join(', ')})`;
  const checksum = createChecksum(name);
  let chunk: TextRow[] = [];
  let chars = 0;
  const send = async () => {
    signal.throwIfAborted();
    if (chunk.length > 0)
      await client.query(
        text,
        columns.map((_, at) => chunk.map((row) => stored(row[at]))),
      );
    chunk = [];
    chars = 0;
  };
  for (const row of rows) {
    checksum.add(row);
    chunk.push(row);
    chars += row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    if (chunk.length >= CHUNK_ROWS || chars >= CHUNK_CHARS) await send();
  }
  await send();
  return checksum.end();
}

async function continueNumbers(client: pg.Client, { name, assigned }: MovedTableShape): Promise<void> {
  const { rows } = await client.query(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attidentity <> ''`,
    [`"${name}"`],
  );
  for (const column of rows) {
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), GREATEST(largest, 1), largest IS NOT NULL)
       FROM (SELECT GREATEST(MAX("${column.name}"), $3::bigint) AS largest FROM "${name}") AS numbers`,
      [`"${name}"`, column.name, assigned],
    );
  }
}

async function checksumOf(
  client: pg.Client,
  { name, columns, key }: MovedTableShape,
  signal: AbortSignal,
): Promise<MovedTable> {
  const checksum = createChecksum(name);
  await client.query('BEGIN READ ONLY');
  await client.query(
    `DECLARE copied NO SCROLL CURSOR FOR
     SELECT ${listed(columns.map((column) => column.name))} FROM "${name}" ORDER BY ${listed(key)}`,
  );
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await client.query<(string | null)[]>({
      text: `FETCH ${READ_ROWS} FROM copied`,
      rowMode: 'array',
    });
    for (const row of rows) checksum.add(row.map(given));
    if (rows.length < READ_ROWS) break;
  }
  await client.query('COMMIT');
  return checksum.end();
}

/** Throws MoveRefused unless the database is empty or holds an unfinished move of this installation. */
export async function checkTarget(
  target: MoveTarget,
  id: string | null,
  place: string,
): Promise<'empty' | 'unfinished'> {
  if (await target.isEmpty()) return 'empty';
  const unfinished = await target.unfinished();
  if (unfinished === null) throw new MoveRefused(`the database ${place} is not empty: give an empty one`);
  if (unfinished !== id)
    throw new MoveRefused(`the database ${place} holds an unfinished move of another installation`);
  return 'unfinished';
}
