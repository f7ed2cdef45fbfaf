// Transactions that queue are run in one group, each under its own savepoint, so that a hundred small writes cost one
// wait for the disk.
import { createPartyQueue } from './party-queue.js';
import type { Queries, Sharing, Transaction } from './sql.js';
import { type Connection, isBusy, mapError } from './sqlite-queries.js';

/** Maximum of transactions that share one commit, so that none waits long for the others. */
const LARGEST_GROUP = 256;

/** A group takes no further transaction after this time: it holds the thread. */
const GROUP_MS = 4;

/** How often the write lock is tried for (each time for `busy_timeout`) before a group fails. */
const BEGIN_ATTEMPTS = 30;

interface Queued {
  /** Who began it; null: the service itself. */
  readonly party: string | null;
  run(): Promise<void>;
  /** Called when the group is on disk, or with the error of the group. */
  settle(groupError?: unknown): void;
}

/**
 * @param write queries on the same connection
 * @param disk waits for what is committed; null: nothing is waited for
 * @param beforeCommit called before each commit of a group
 */
export function createGroupCommit(
  connection: Connection,
  write: Queries,
  disk: { sync(): Promise<void>; durable(): Promise<void> } | null,
  beforeCommit: () => void,
) {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');
  const rollback = connection.prepare('ROLLBACK');
  const queued = queuedOn(connection, write);
  const queue = createPartyQueue<Queued>();
  let sharing: { turns: Sharing; stopwatch: () => number } | null = null;
  let commits = 0;
  let draining: Promise<void> | null = null;
  let closed = false;

  /** Another process may write for a while (an admin command, a checkpoint of a large log). */
  const beginGroup = async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        begin.run();
        return;
      } catch (error) {
        if (!isBusy(error) || attempt === BEGIN_ATTEMPTS) throw error;
        await nextTurn();
      }
    }
  };

  /** Runs transactions in the open group until the group is large or has taken its time. */
  const runItems = async (group: Queued[]) => {
    let spent = 0;
    do {
      const item = queue.next();
      if (!item) break;
      group.push(item);
      const began = sharing?.stopwatch() ?? 0;
      await item.run();
      const ms = (sharing?.stopwatch() ?? 0) - began;
      if (item.party !== null) sharing?.turns.charge(item.party, ms);
      spent += ms;
    } while (group.length < LARGEST_GROUP && spent < GROUP_MS);
  };

  const runGroup = async () => {
    const group: Queued[] = [];
    try {
      // Throws if the disk has failed before.
      await disk?.durable();
      await beginGroup();
      await runItems(group);
      beforeCommit();
      commit.run();
      commits++;
      await disk?.sync();
    } catch (error) {
      if (connection.inTransaction) rollback.run();
      // Those that waited for a disk that has failed, or for a lock that another process holds, fail too.
      if (group.length === 0) group.push(...queue.take(LARGEST_GROUP));
      for (const item of group) item.settle(mapError(error));
      return;
    }
    for (const item of group) item.settle();
  };

  const drain = async () => {
    // At once: a turn of the event loop is long when others use the thread. The next group gathers while this one is synced.
    await null;
    while (queue.size() > 0) await runGroup();
    // In the same turn as the last check of the queue: a later transaction starts a new drain.
    draining = null;
  };

  return {
    transaction: <T>(fn: (tx: Transaction) => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error('the store is closed'));
        queue.add(queued(sharing?.turns.current() ?? null, fn, resolve, reject));
        draining ??= drain();
      }),
    /** See `Store.shareBy`. */
    shareBy(turns: Sharing, stopwatch: () => number): void {
      sharing = { turns, stopwatch };
    },
    /** The number of commits so far. */
    commits: (): number => commits,
    /** Refuses new transactions and resolves when the queued ones are settled. */
    async close(): Promise<void> {
      closed = true;
      await draining;
    },
  };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Makes transactions of a group on this connection. */
function queuedOn(connection: Connection, write: Queries) {
  const savepoint = connection.prepare('SAVEPOINT item');
  const release = connection.prepare('RELEASE item');
  const undo = connection.prepare('ROLLBACK TO item');

  return <T>(
    party: string | null,
    fn: (tx: Transaction) => Promise<T>,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): Queued => {
    const onCommit: (() => void)[] = [];
    const onRollback: (() => void)[] = [];
    const tx: Transaction = {
      ...write,
      onCommit: (f) => void onCommit.push(f),
      onRollback: (f) => void onRollback.push(f),
    };
    const rolledBack = () => {
      for (const f of onRollback.splice(0)) f();
    };
    let outcome: { value: T } | { error: unknown } | null = null;
    return {
      party,
      async run() {
        savepoint.run();
        try {
          outcome = { value: await fn(tx) };
          release.run();
        } catch (error) {
          outcome = { error };
          // SQLite itself may have rolled everything back (disk full); then the group fails as a whole.
          if (!connection.inTransaction) throw error;
          undo.run();
          release.run();
          // Before the next of the group begins.
          rolledBack();
        }
      },
      settle(groupError) {
        if (groupError !== undefined) {
          rolledBack();
          return reject(groupError);
        }
        if (!outcome) return reject(new Error('transaction did not run'));
        if ('error' in outcome) return reject(outcome.error);
        for (const f of onCommit) f();
        resolve(outcome.value);
      },
    };
  };
}
