// Transactions on PostgreSQL: serializable, those of this process one after the other. What meets a transaction of another
// process runs again; whether a commit was lost with its connection is found out before anything is repeated.
import type pg from 'pg';
import { pause } from '../../../../shared/pause.js';
import { type Fence, fencesHere } from '../fence.js';
import { createPartyQueue } from '../party-queue.js';
import { type Sharing, StoreUnavailableError, type Transaction } from '../sql.js';
import { ATTEMPTS, clock, LONGEST_PAUSE_MS, type Patience } from './availability.js';
import { beginLife, markOf, type TransactionMark, wasCommitted } from './commit-outcome.js';
import { oneAtATime, queriesOn } from './connection.js';
import { caughtFailure, isConflict, isConnectionLost, isStalePlan, isTooSlow } from './errors.js';
import type { numbering } from './placeholders.js';

const ALWAYS_LATER = `transactions of other processes came first ${ATTEMPTS} times`;

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH)\b/i;

interface Queued {
  readonly party: string | null;
  run(): Promise<void>;
}

interface Waits {
  /** How long a transaction is tried while there is no connection. */
  readonly waiting: Patience;
  /** How long the server is asked what became of one. */
  readonly waitMs: number;
}

export function createTransactions(pool: pg.Pool, number: ReturnType<typeof numbering>, { waiting, waitMs }: Waits) {
  const queue = createPartyQueue<Queued>();
  let sharing: { turns: Sharing; stopwatch: () => number } | null = null;
  let draining: Promise<void> | null = null;
  let closed = false;
  /** The transactions of this process that had an id, which those that wrote have. */
  let ids = 0;
  let ownFence: readonly Fence[] = [];

  const attempt = async <T>(
    fn: (tx: Transaction) => Promise<T>,
    fences: readonly Fence[],
  ): Promise<{ value: T; onCommit: (() => void)[] }> => {
    const client = await pool.connect();
    const onCommit: (() => void)[] = [];
    const onRollback: (() => void)[] = [];
    let wrote = false;
    let mark: TransactionMark | null = null;
    let broken = false;
    let released = false;
    const release = () => {
      if (!released) client.release(broken);
      released = true;
    };
    /** Frees the slot of a lost connection in the pool, because the query for the result of the transaction may need it. */
    const releaseLost = () => {
      broken = true;
      release();
    };
    try {
      await begin(client, fences);
      const value = await fn({
        ...queriesOn(oneAtATime(client), number, (sql) => {
          wrote ||= WRITES.test(sql);
        }),
        onCommit: (f) => void onCommit.push(f),
        onRollback: (f) => void onRollback.push(f),
      });
      if (wrote) mark = await markOf(client);
      if (mark !== null) ids++;
      // The server has crashed since. If this fails, the next transaction tries again.
      if (mark?.life === null) void beginLife(pool).catch(() => undefined);
      await commit(client, async (error) => {
        if (mark === null) throw error;
        releaseLost();
        if (!(await wasCommitted(pool, mark, waitMs))) throw error;
      });
      return { value, onCommit };
    } catch (error) {
      // A connection on which this fails may still be in the transaction: it is not used again.
      broken =
        isConnectionLost(error) ||
        isStalePlan(error) ||
        (await client.query('ROLLBACK').catch((cause: Error) => cause)) instanceof Error;
      if (wrote && mark === null) ids++;
      for (const f of onRollback) f();
      throw error;
    } finally {
      release();
    }
  };

  const run = async <T>(fn: (tx: Transaction) => Promise<T>, fences: readonly Fence[]): Promise<T> => {
    for (let tries = 1; ; tries++) {
      let done: Awaited<ReturnType<typeof attempt<T>>>;
      try {
        done = await attempt(fn, fences);
      } catch (error) {
        const cause =
          error instanceof Error && error.cause !== undefined && !isConnectionLost(error) ? error.cause : error;
        const isLater = isConflict(cause) || isStalePlan(cause);
        const again = isLater ? tries < ATTEMPTS : isConnectionLost(cause) && !isTooSlow(cause) && waiting.failed();
        if (!again) throw isLater ? new StoreUnavailableError({ cause }, ALWAYS_LATER) : error;
        await pause(clock, Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** tries));
        continue;
      }
      waiting.answered();
      for (const f of done.onCommit) f();
      return done.value;
    }
  };

  const drain = async () => {
    await null;
    for (let item = queue.next(); item; item = queue.next()) {
      const began = sharing?.stopwatch() ?? 0;
      await item.run();
      if (item.party !== null) sharing?.turns.charge(item.party, (sharing?.stopwatch() ?? 0) - began);
    }
    draining = null;
  };

  return {
    transaction: <T>(fn: (tx: Transaction) => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error('the store is closed'));
        const fences = [...ownFence, ...fencesHere()];
        queue.add({ party: sharing?.turns.current() ?? null, run: () => run(fn, fences).then(resolve, reject) });
        draining ??= drain();
      }),
    /** See `Store.shareBy`. */
    shareBy(turns: Sharing, stopwatch: () => number): void {
      sharing = { turns, stopwatch };
    },
    ids: (): number => ids,
    /** Throws unless the fence of this process holds. */
    async checkFence(): Promise<void> {
      for (const { holds, gone } of ownFence) if ((await pool.query(holds)).rows.length === 0) throw gone();
    },
    /** No transaction does anything unless the fence holds. */
    fenceBy(fence: Fence): void {
      ownFence = [fence];
    },
    /** Refuses new transactions and resolves when the queued ones are settled. */
    async close(): Promise<void> {
      closed = true;
      await draining;
    },
  };
}

/** Begins a transaction and looks at its fences, in one round trip. */
async function begin(client: pg.PoolClient, fences: readonly Fence[]): Promise<void> {
  const statements = ['BEGIN ISOLATION LEVEL SERIALIZABLE', ...fences.map(({ holds }) => holds)];
  // Of several statements, the results are a list.
  const results: unknown = await client.query(statements.join('; '));
  if (!Array.isArray(results)) return;
  fences.forEach((fence, i) => {
    if (results[i + 1].rows.length === 0) throw fence.gone();
  });
}

/** @param lost called when the connection is lost, and nobody knows yet what became of the transaction */
async function commit(client: pg.PoolClient, lost: (error: unknown) => Promise<void>): Promise<void> {
  try {
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT') throw caughtFailure();
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
    await lost(error);
  }
}
