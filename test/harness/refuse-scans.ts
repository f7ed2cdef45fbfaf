// Refuses statements that scan a long table. Every statement that the service executes in a test is planned on two
// databases: one without statistics, and one with those of a million builds.
import Database from 'better-sqlite3';
import { LONG_HISTORY } from './long-history-statistics.js';
import { migratedSchema } from './migrated-database.js';

/** Tables that grow with the history of the accounts. */
const LONG = new Set(['builds', 'events', 'deliveries']);
/** Files in the stack of every statement: the database adapter, and this file. */
const ADAPTERS = /store\/(?:sqlite|sqlite-queries|group-commit|table|purge)\.[jt]s|harness\/refuse-scans\.[jt]s/;
const OURS = /\/(?:control-plane|test)\//;
/** Conditions of partial indexes that contain only active rows. */
const SHORT =
  /status = '(?:queued|running|pending)'|ended_at IS NULL|fanned_out = 0|log_limit IS NOT NULL|log_bytes IS NULL/;

interface Index {
  readonly table: string;
  /** Contains only a few rows, also after a long history. */
  readonly short: boolean;
}

type Planner = (sql: string) => string[];

let problems: Promise<(sql: string) => string | null> | undefined;
/** The problem of each statement, or null. */
const checked = new Map<string, string | null>();

/** Returns a function that throws for a statement of the service that scans a long table. */
export async function refuseScans(): Promise<(sql: string) => void> {
  const problemOf = await scanProblems();
  return (sql) => {
    const known = checked.get(sql);
    if (known === undefined && !isOfService()) return;
    // A refused statement is refused every time: its first error may have been handled by a worker.
    const problem = known === undefined ? problemOf(sql) : known;
    checked.set(sql, problem);
    if (problem !== null) throw new Error(`this statement scans a long table: ${problem}\n${sql}`);
  };
}

/** Returns the statements of the service that were checked in this process. */
export const statementsOfService = (): readonly string[] => [...checked.keys()];

/** Returns a function that returns the step of a statement's plan that scans a long table, or null. */
export function scanProblems(): Promise<(sql: string) => string | null> {
  problems ??= open();
  return problems;
}

async function open(): Promise<(sql: string) => string | null> {
  const schema = await migratedSchema();
  const planners = [plannerOf(schema, []), plannerOf(schema, LONG_HISTORY)];
  const indexes = new Map<string, Index>();
  for (const sql of schema) {
    const [, name, table] = /^CREATE (?:UNIQUE )?INDEX "?(\w+)"? ON "?(\w+)"?/.exec(sql) ?? [];
    if (name && table) indexes.set(name, { table, short: SHORT.test(sql.split(' WHERE ')[1] ?? '') });
  }
  return (sql) => {
    if (!/^\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE)\b/.test(sql)) return null;
    for (const plan of planners) {
      const problem = scanIn(sql, plan(sql), indexes);
      if (problem !== null) return problem;
    }
    return null;
  };
}

/** Returns whether the service, and not a test, executes the statement. */
function isOfService(): boolean {
  const frames = new Error().stack?.split('\n') ?? [];
  const caller = frames.find((frame) => OURS.test(frame) && !ADAPTERS.test(frame));
  return caller?.includes('/control-plane/') === true;
}

function plannerOf(
  schema: readonly string[],
  statistics: readonly (readonly [string, string | null, string])[],
): Planner {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE IF NOT EXISTS before_statistics (n); ANALYZE');
  for (const sql of schema) db.exec(sql);
  if (statistics.length > 0) {
    db.exec('INSERT INTO before_statistics VALUES (1); ANALYZE');
    const insert = db.prepare('INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)');
    for (const row of statistics) insert.run(row);
    db.exec('ANALYZE sqlite_schema');
  }
  return (sql) => {
    try {
      const params = Object.fromEntries([...sql.matchAll(/:([A-Za-z]\w*)/g)].map(([, name]) => [name, null]));
      const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(params) as { detail: string }[];
      return rows.map(({ detail }) => detail);
    } catch (error) {
      // Statements on tables that a test has created.
      if (error instanceof Database.SqliteError && /no such (?:table|column)/.test(error.message)) return [];
      throw error;
    }
  };
}

/** Returns the step of the plan that scans a long table, or null. */
function scanIn(sql: string, plan: readonly string[], indexes: ReadonlyMap<string, Index>): string | null {
  const names = namesIn(sql);
  const sorts = plan.some((step) => step.startsWith('USE TEMP B-TREE FOR ORDER BY'));
  for (const step of plan) {
    const [, how, name = ''] = /^(SCAN|SEARCH) (\w+)/.exec(step) ?? [];
    const [, used] = / INDEX (\w+)/.exec(step) ?? [];
    const index = used === undefined ? undefined : indexes.get(used);
    const table = index?.table ?? names.get(name) ?? name;
    if (how === undefined || !LONG.has(table) || index?.short) continue;
    // SQLite looks for rows that refer to the inserted one only if there is an unresolved reference.
    if (/^\s*INSERT\b/.test(sql) && !new RegExp(`\\b${table}\\b`).test(sql)) continue;
    if (how === 'SCAN') return step;
    // The rows of one account or receiver are a long history too, unless they are read in index order with a LIMIT.
    const whole = /\((?:account_id|receiver)=\?\)$/.test(step);
    if (whole && (sorts || !/\bLIMIT\b|\bM(?:IN|AX)\(/.test(sql))) return step;
  }
  return null;
}

/** Returns the tables of a statement by their names in the plan. */
function namesIn(sql: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const [, table = '', alias] of sql.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?/g)) {
    names.set(table, table);
    if (alias) names.set(alias, table);
  }
  return names;
}
