// What several processes on one database count and lock together, on PostgreSQL.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { pause } from '../../../../../shared/pause.js';
import type { SharedState } from '../../../domain/shared-state.js';
import { clock, patience, readAgain } from '../availability.js';
import { openPool } from '../connection.js';
import { createSharedCounts } from './counts.js';
import { createSharedLocks } from './locks.js';
import { ALIVE, schema } from './schema.js';
import { openSession, type Session } from './session.js';
import { createSharedSightings } from './sightings.js';

/** How often sightings are exchanged. */
const EXCHANGE_MS = 1_000;
/** After how many exchanges rows that no longer mean anything are deleted: of dead processes, and of full buckets. */
const DEAD_EVERY = 5;
const FULL_EVERY = 60;

export interface SharedStateOptions {
  /** How long a query is tried while the server does not answer, ms. */
  readonly waitMs: number;
  readonly onError: (error: Error) => void;
  readonly connections?: number;
}

/**
 * Joins the processes that use a database. They find each other by it alone.
 *
 * @throws the client's error if there is no connection
 */
export async function openSharedState(url: string, options: SharedStateOptions): Promise<SharedState> {
  const { waitMs, onError, connections = 4 } = options;
  const process = await makeSchema(url);
  const pool = openPool(url, { connections, onError });
  // Each statement sees what was committed when it began, and each is a transaction.
  pool.on('connect', (client) => {
    client.query(`SET default_transaction_isolation = 'read committed'`).catch(onError);
  });
  const waiting = patience(waitMs);
  const ask = (text: string, values: unknown[]) => readAgain(waiting, () => pool.query(text, values));
  const { counts, renew, settled } = createSharedCounts(process, ask);
  const { sightings, exchange } = createSharedSightings(process, ask);
  const { locks, renew: renewLocks } = createSharedLocks(() => session);
  let renewed = false;
  const session: Session = await openSession({
    url,
    waitMs,
    process,
    async renewed(client) {
      await renewLocks(client);
      renewed = true;
    },
  });

  const closed = new AbortController();
  const tend = async () => {
    for (let round = 1; !closed.signal.aborted; round++) {
      // Rejects when it is closed.
      await pause(clock, EXCHANGE_MS, closed.signal).catch(() => undefined);
      if (closed.signal.aborted) return;
      const all = renewed;
      renewed = false;
      try {
        await exchange(all);
        await renew(all);
        if (round % DEAD_EVERY === 0) await ask(DELETE_DEAD, [process]);
        if (round % FULL_EVERY === 0) await ask(DELETE_FULL, []);
      } catch (error) {
        renewed ||= all;
        onError(error as Error);
      }
    }
  };
  const tending = tend();

  return {
    counts,
    locks,
    sightings,
    buckets: {
      async take(name, perMinute, wanted, back) {
        const { rows } = await ask('SELECT given, tokens_left FROM shared_take_tokens($1, $2, $3, $4)', [
          rowName(name),
          perMinute,
          wanted,
          back,
        ]);
        return { given: Number(rows[0].given), left: Number(rows[0].tokens_left) };
      },
    },
    async close() {
      closed.abort();
      await tending;
      await settled();
      // What this process held is free when its session has ended.
      await session.close();
      await pool.end();
    },
  };
}

const LONGEST_NAME = 200;

/** Names hold what clients send: an index takes only short ones, and no text has NUL. */
const rowName = (name: string): string =>
  name.length <= LONGEST_NAME && !name.includes('\0') ? name : createHash('sha256').update(name).digest('hex');

/** Returns a number for this process. */
async function makeSchema(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: 'cidermill shared' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    // Several statements without parameters are one transaction.
    await client.query(schema);
    const { rows } = await client.query(`SELECT nextval('shared_processes')::integer AS process`);
    return rows[0].process;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A bucket that nobody has used for a minute is full. */
const DELETE_FULL = `DELETE FROM shared_buckets WHERE at < clock_timestamp() - interval '2 minutes'`;

const DELETE_DEAD = `
  WITH dead AS MATERIALIZED (
      SELECT process FROM (SELECT DISTINCT process FROM shared_counts) AS known
      WHERE process <> $1 AND pg_try_advisory_xact_lock_shared(${ALIVE}, process)
    )
  DELETE FROM shared_counts WHERE process IN (SELECT process FROM dead)`;
