// Deletes expired rows, a limited number at a time.
import type { SqlParams, Transaction } from './sql.js';

/**
 * Returns a function that deletes up to `limit` rows of a table for which `expired` holds, in the order of `by`, and
 * returns how many. The table needs an index that finds them without reading other rows.
 *
 * @param expired SQL with the parameter `:before`, a time in ms
 * @example
 * export const purgeSessions = purgeOf('sessions', { key: 'token_hash', expired: 'expires_at <= :before', by: 'expires_at' });
 */
export function purgeOf(table: string, rows: { key: string; expired: string; by: string }) {
  const { key, expired, by } = rows;
  const sql = `DELETE FROM ${table} WHERE (${key}) IN
    (SELECT ${key} FROM ${table} WHERE ${expired} ORDER BY ${by} LIMIT :limit)`;
  return async (tx: Transaction, before: number, limit: number): Promise<number> => {
    const params: SqlParams = { before, limit };
    return (await tx.run(sql, params)).changes;
  };
}
