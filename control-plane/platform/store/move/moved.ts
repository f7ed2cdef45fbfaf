// A move of an installation from SQLite to PostgreSQL, as both databases record it. The old database says in `meta` where it has
// been moved to; the new one has a table of its own until the move has ended.
import { readMeta } from '../meta.js';
import type { Queries } from '../sql.js';

/** In `meta` of the old database. */
export const MOVE = 'move';

/** In the new database while it is not whole. */
export const UNFINISHED = 'unfinished_move';

/** What a table held, on both sides. */
export interface MovedTable {
  readonly table: string;
  readonly rows: number;
  /** Of its rows, in the order of the primary key. */
  readonly sha256: string;
}

export interface MovedRows {
  /** The new database, without its password. */
  readonly to: string;
  readonly tables: readonly MovedTable[];
  /** Further values of `meta` in the new database. */
  readonly meta?: Readonly<Record<string, string>>;
}

export interface Move {
  /** Of all attempts. */
  readonly id: string;
  /** Null until everything is copied and compared. */
  readonly moved: MovedRows | null;
}

/** The move cannot begin or go on as asked; the old database stays the one in use. */
export class MoveRefused extends Error {}

/** Names a database without its password: `mill on db.example`. */
export function placeOf(databaseUrl: string): string {
  const { hostname, pathname, searchParams } = new URL(databaseUrl);
  return `${pathname.slice(1)} on ${hostname || (searchParams.get('host') ?? 'this machine')}`;
}

export function parseMove(text: string | null): Move | null {
  return text === null ? null : JSON.parse(text);
}

/** Returns why the SQLite database of the folder is no longer used, or null. */
export async function movedProblem(q: Queries, data: string): Promise<string | null> {
  const made = await q.get(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'`);
  const move = made === undefined ? null : parseMove(await readMeta(q, MOVE));
  if (!move?.moved) return null;
  const { to } = move.moved;
  return `${data} has been moved to PostgreSQL: set CIDERMILL_DATABASE_URL to the address of the database ${to}`;
}

/** Whether a database on PostgreSQL is not whole, because a move to it was interrupted. */
export async function isUnfinished(q: Queries): Promise<boolean> {
  const row = await q.get<{ found: number }>(`SELECT to_regclass('${UNFINISHED}') IS NOT NULL AS found`);
  return row?.found === 1;
}
