// Durations of earlier builds of the same project and script.

import type { Queries } from '../../platform/store/sql.js';
import type { History } from '../domain/run-times.js';

/**
 * Returns, by history key, the durations of the last `count` builds that ended by themselves. Keys without any are left
 * out.
 */
export async function readHistory(
  q: Queries,
  accountId: number,
  keys: Iterable<string | null | undefined>,
  count: number,
): Promise<History> {
  const wanted = [...new Set(keys)].filter((key) => typeof key === 'string');
  const all = await Promise.all(wanted.map((key) => readRunTimes(q, accountId, key, count)));
  return new Map(wanted.flatMap((key, i) => (all[i]?.length ? [[key, all[i]]] : [])));
}

async function readRunTimes(q: Queries, accountId: number, key: string, count: number): Promise<number[]> {
  const rows = await q.all<{ run_ms: number }>(
    `SELECT MAX(0, ended_at - attempt_started_at) AS run_ms FROM builds
     WHERE account_id = :accountId AND history_key = :key AND exit_code IS NOT NULL
       AND end_reason IN ('succeeded', 'exit_nonzero') AND attempt_started_at IS NOT NULL
     ORDER BY ended_at DESC LIMIT :count`,
    { accountId, key, count },
  );
  return rows.map((row) => row.run_ms);
}
