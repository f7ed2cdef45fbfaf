import type { Queries, SqlParams } from './sql.js';

/** Returns the only column of the first row; null if it is null, or if there is no row. */
export async function readNumber(q: Queries, sql: string, params?: SqlParams): Promise<number | null> {
  const row = await q.get<Record<string, number | null>>(sql, params);
  return Object.values(row ?? {})[0] ?? null;
}

/** The same for a count or a sum, which is 0 without rows. */
export const readCount = async (q: Queries, sql: string, params?: SqlParams): Promise<number> =>
  (await readNumber(q, sql, params)) ?? 0;
