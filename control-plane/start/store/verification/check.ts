// What always holds between rows, as queries for rows that contradict it. They are written apart from the code that writes the
// rows, so that a fault there is not made here, too.
import type { Dialect, Queries, SqlParams } from '../../../platform/store/sql.js';

export interface Check {
  /** For programs; stable. */
  readonly name: string;
  /** What holds, in a sentence. */
  readonly holds: string;
  /**
   * Returns a row with `subject` and `found` for each contradiction. Rows that have changed after `:settled` (ms) may still be
   * under way.
   */
  readonly sql: string;
  /** What mends it. */
  readonly repair: string;
  /** The database that it is about. Default: either. */
  readonly dialect?: Dialect;
}

export interface Contradiction {
  /** What it is about, e.g. the id of a build. */
  readonly subject: string;
  readonly found: string;
}

/** Returns the first `most` contradictions. */
export function findContradictions(
  q: Queries,
  { sql }: Check,
  { settled, most }: { settled: number; most: number },
): Promise<Contradiction[]> {
  const params: SqlParams = sql.includes(':settled') ? { settled, most } : { most };
  return q.all<Contradiction>(
    `SELECT subject, found FROM (${sql}) AS contradictions ORDER BY subject LIMIT :most`,
    params,
  );
}

export const BY_HAND =
  'by hand: the rows contradict each other, and only the history (audit log, log of the service) says which is right';
