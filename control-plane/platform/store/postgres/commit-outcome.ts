// What became of a transaction whose connection was lost while it was committed. The server is asked by the transaction's id, but
// one that has crashed, or was replaced by its standby, gives ids again that it had given shortly before. Such a server has
// emptied its unlogged tables: a row in one of them says whether it is still the server that gave the id.
import type pg from 'pg';
import { pause } from '../../../../shared/pause.js';
import { StoreUnavailableError } from '../sql.js';
import { clock, LONGEST_PAUSE_MS } from './availability.js';
import { isConnectionLost, mapError } from './errors.js';

export interface TransactionMark {
  readonly id: string;
  /** Of the server since its last crash; null: nobody has written it yet. */
  readonly life: string | null;
}

/** Held while the table is made. */
const MAKING = 1_667_851_625;
/** The table with that row. */
export const LIFE = 'server_life';
const MAKE = `
  SELECT pg_advisory_xact_lock(${MAKING});
  CREATE UNLOGGED TABLE IF NOT EXISTS ${LIFE} (one boolean PRIMARY KEY CHECK (one), life text NOT NULL);
`;
const BEGIN_LIFE = `INSERT INTO server_life (one, life) VALUES (true, gen_random_uuid()::text) ON CONFLICT DO NOTHING`;

/** Prepares a database for `markOf`, also after each crash of the server. */
export async function beginLife(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(`SELECT to_regclass('server_life') IS NOT NULL AS made`);
  if (!rows[0].made) await pool.query(MAKE);
  await pool.query(BEGIN_LIFE);
}

/** Returns null if the transaction of this connection has no id, because it has written nothing. */
export async function markOf(client: pg.PoolClient): Promise<TransactionMark | null> {
  try {
    const { rows } = await client.query(MARK);
    const { id, life } = rows[0];
    return id === null ? null : { id, life };
  } catch (error) {
    throw mapError(error);
  }
}

const MARK = 'SELECT pg_current_xact_id_if_assigned()::text AS id, (SELECT life FROM server_life) AS life';
const OUTCOME = `SELECT COALESCE(life = $2, false) AS same,
    CASE WHEN life = $2 THEN pg_xact_status($1::xid8) END AS status
  FROM (SELECT (SELECT life FROM server_life) AS life) AS now`;

/**
 * Returns whether the transaction was committed.
 *
 * @throws StoreUnavailableError if nobody can say: it must not be repeated
 */
export async function wasCommitted(pool: pg.Pool, mark: TransactionMark, waitMs: number): Promise<boolean> {
  const until = clock.monotonic() + waitMs;
  for (;;) {
    try {
      const { rows } = await pool.query(OUTCOME, [mark.id, mark.life]);
      const [{ same, status }] = rows as [{ same: boolean; status: string | null }];
      // Without a cause: a transaction is repeated when its error has a lost connection as its cause.
      if (!same) throw new StoreUnavailableError();
      if (status !== 'in progress') return status === 'committed';
    } catch (error) {
      if (!isConnectionLost(error) || clock.monotonic() > until) throw error;
    }
    await pause(clock, LONGEST_PAUSE_MS);
  }
}
