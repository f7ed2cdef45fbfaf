// SQLite behind the store port: one writer connection whose transactions queue and share commits, one reader.
import Database from 'better-sqlite3';
import {
  ConstraintError,
  type Queries,
  type SqlParams,
  type Store,
  StoreFailedError,
  type Transaction,
} from './sql.js';
import { openWalSync, type WalSync } from './wal-sync.js';

type Connection = Database.Database;

/** At most this many queued transactions share one commit, so that none waits long for its neighbours. */
const LARGEST_GROUP = 256;

const CACHE_KIB = 32 * 1024;
/** Of 4 KiB. Fewer are copied more often, more hold up a commit for longer when they are. */
const CHECKPOINT_PAGES = 4_000;

/** How long one look for the write lock may hold up this process, ms, and how often it looks before it gives up. */
const BUSY_MS = 1_000;
const BUSY_LOOKS = 30;

interface Queued {
  run(): Promise<void>;
  settle(error?: unknown): void;
}

/**
 * Opens (and creates) the database file. A commit is on disk before it is reported, as with synchronous=FULL; but the
 * wait for the disk is not SQLite's, which would hold up this thread (synchronous=NORMAL syncs at checkpoints alone).
 * Transactions that queue meanwhile are run in one group, each under its own savepoint, so that a hundred small writes
 * cost one wait. What is committed can be read a moment before it is on disk.
 *
 * @param options.onFailure told once, when the disk has failed (see `Store.failure`)
 * @param options.dataSync fdatasync(2); given by tests that need a slow or a broken disk
 * @param options.oneTurn fails a transaction that awaits anything but its own queries: those end in the turn of the event
 *   loop in which they begin, while a timer, a file or a request does not. For tests
 */
export function openSqlite(
  file: string,
  options: {
    onFailure?: (error: StoreFailedError) => void;
    dataSync?: (fd: number) => Promise<void>;
    oneTurn?: boolean;
  } = {},
): Store {
  const writer = new Database(file);
  writer.pragma('journal_mode = WAL');
  writer.pragma('synchronous = NORMAL');
  // Our sync of the log empties the disk's own cache on macOS too; what SQLite does around a checkpoint must as well,
  // or the log may be overwritten on the disk before its pages are in the database. Elsewhere this changes nothing.
  writer.pragma('checkpoint_fullfsync = ON');
  writer.pragma('foreign_keys = ON');
  writer.pragma(`busy_timeout = ${BUSY_MS}`);
  // A group of commits touches many pages: they stay in memory until it is written, and go from the log into the
  // file so seldom that pages written again and again go there once.
  // What a savepoint would take back is kept in memory, not in a file.
  writer.pragma('temp_store = MEMORY');
  writer.pragma(`cache_size = -${CACHE_KIB}`);
  writer.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const memory = file === ':memory:' || file === '';
  const reader = memory ? writer : new Database(file, { readonly: true });
  if (!memory) reader.pragma(`busy_timeout = ${BUSY_MS}`);
  const wal = memory ? null : openWalSync(file, options.dataSync);
  // A process that died may have left pages in its log which are in memory only, even after a sync that failed; what
  // is written behind a gap would be lost with it. So the log is put into the database, and begun anew.
  if (!memory) writer.pragma('wal_checkpoint(PASSIVE)');

  const write = queriesOn(writer);
  const read = memory ? write : queriesOn(reader);
  const queue: Queued[] = [];
  // A connection's own commits leave its data_version alone; any other connection's change it.
  const dataVersion = writer.prepare('PRAGMA data_version').pluck();
  const statement = (sql: string) => writer.prepare(sql);
  const begin = statement('BEGIN IMMEDIATE');
  const commit = statement('COMMIT');
  const rollback = statement('ROLLBACK');
  const savepoint = statement('SAVEPOINT item');
  const release = statement('RELEASE item');
  const undo = statement('ROLLBACK TO item');
  let commits = 0;
  let draining: Promise<void> | null = null;
  let closed = false;
  // After a failed sync nobody knows what is on disk, and a second one may claim a success that is none.
  let failed: StoreFailedError | null = null;
  let syncing: Promise<void> | null = null;

  const sync = (log: WalSync): Promise<void> => {
    syncing = log
      .sync()
      .catch((error: unknown) => {
        failed = new StoreFailedError({ cause: error });
        options.onFailure?.(failed);
        throw failed;
      })
      .finally(() => {
        syncing = null;
      });
    return syncing;
  };

  /** Another process may write for a while (an admin command, a checkpoint of a large log): what waits goes on. */
  const beginGroup = async () => {
    for (let look = 1; ; look++) {
      try {
        begin.run();
        return;
      } catch (error) {
        if (!isBusy(error) || look === BUSY_LOOKS) throw error;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };

  const drain = async () => {
    // Let what is already on its way join the first group: every request whose bytes have arrived is read in this
    // turn of the event loop, and a commit holds up the loop until it is on disk.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const group = queue.splice(0, LARGEST_GROUP);
      try {
        if (failed !== null) throw failed;
        await beginGroup();
        for (const item of group) await item.run();
        commit.run();
        commits++;
        if (wal) await sync(wal);
      } catch (error) {
        if (writer.inTransaction) rollback.run();
        for (const item of group) item.settle(mapError(error));
        continue;
      }
      for (const item of group) item.settle();
    }
    // In the same turn as the last look at the queue: what comes later starts a new drain.
    draining = null;
  };

  const transaction = <T>(fn: (tx: Transaction) => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (closed) {
        reject(new Error('the store is closed'));
        return;
      }
      const commits: (() => void)[] = [];
      const rollbacks: (() => void)[] = [];
      const undone = () => {
        for (const f of rollbacks.splice(0)) f();
      };
      let outcome: { value: T } | { error: unknown } | null = null;
      queue.push({
        async run() {
          savepoint.run();
          try {
            const tx = {
              ...write,
              onCommit: (f: () => void) => void commits.push(f),
              onRollback: (f: () => void) => void rollbacks.push(f),
            };
            outcome = { value: await (options.oneTurn ? inOneTurn(() => fn(tx)) : fn(tx)) };
            release.run();
          } catch (error) {
            outcome = { error };
            // SQLite itself may have rolled everything back (disk full); then the group fails as a whole.
            if (!writer.inTransaction) throw error;
            undo.run();
            release.run();
            // Before the next of the group begins.
            undone();
          }
        },
        settle(groupError) {
          if (groupError !== undefined) {
            undone();
            return reject(groupError);
          }
          if (!outcome) return reject(new Error('transaction did not run'));
          if ('error' in outcome) return reject(outcome.error);
          for (const f of commits) f();
          resolve(outcome.value);
        },
      });
      draining ??= drain();
    });

  return {
    ...read,
    run: (sql, params) => transaction((tx) => tx.run(sql, params)),
    transaction,
    outsideVersion: async () => Number(dataVersion.get()),
    revision: async () => `${commits}:${dataVersion.get()}`,
    async durable() {
      if (failed !== null) throw failed;
      await syncing;
    },
    failure: () => failed,
    async backup(target) {
      await writer.backup(target);
    },
    async close() {
      closed = true;
      await draining;
      wal?.close();
      if (reader !== writer) reader.close();
      tidy(writer);
      writer.close();
    },
  };
}

/** Renews the statistics of the tables; left to the next time when another process is writing. */
function tidy(connection: Connection): void {
  try {
    if (connection.open) connection.pragma('optimize');
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

const isBusy = (error: unknown) =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

function queriesOn(connection: Connection): Queries {
  const statements = new Map<string, Database.Statement>();
  const prepare = (sql: string) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const guarded = <T>(work: () => T): Promise<T> => {
    try {
      return Promise.resolve(work());
    } catch (error) {
      return Promise.reject(mapError(error));
    }
  };
  return {
    get: <Row>(sql: string, params: SqlParams = {}) =>
      guarded(() => prepare(sql).get(params) as Row | undefined),
    all: <Row>(sql: string, params: SqlParams = {}) => guarded(() => prepare(sql).all(params) as Row[]),
    run: (sql, params = {}) => guarded(() => ({ changes: prepare(sql).run(params).changes })),
  };
}

function mapError(error: unknown): unknown {
  if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) {
    return new ConstraintError(error.message.replace(/^.*failed: /, ''), { cause: error });
  }
  return error;
}

/** Throws when the event loop has turned before `fn` has ended. */
async function inOneTurn<T>(fn: () => Promise<T>): Promise<T> {
  let turned = false;
  const turn = setImmediate(() => {
    turned = true;
  });
  try {
    const value = await fn();
    if (turned) throw new Error('a transaction awaited something that is not its own query');
    return value;
  } finally {
    clearImmediate(turn);
  }
}
