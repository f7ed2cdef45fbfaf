// SQLite behind the store port: one connection that writes, in groups of transactions, and one that reads.
import Database from 'better-sqlite3';
import { createGroupCommit } from './group-commit.js';
import { shareReads } from './shared-reads.js';
import type { Store, Transaction } from './sql.js';
import { type Connection, isBusy, queriesOn } from './sqlite-queries.js';
import { openWalSync, type WalSyncOptions } from './wal-sync.js';

const CACHE_KIB = 32 * 1024;
/** In pages of 4 KiB. With fewer, pages are copied more often; with more, a checkpoint holds up a commit for longer. */
const CHECKPOINT_PAGES = 4_000;
/** How long one attempt to take a lock may block this process, ms. */
const BUSY_MS = 1_000;

export interface SqliteOptions extends WalSyncOptions {
  /**
   * Fails a transaction that awaits anything but its own queries: those end in the turn of the event loop in which they
   * begin, while a timer, a file or a request does not. For tests.
   */
  readonly oneTurn?: boolean;
  /** Called with each statement before it is prepared; throws to refuse it. For tests. */
  readonly checkStatement?: (sql: string) => void;
}

/**
 * Opens (and creates) the database file. A commit is on disk before it is reported, as with synchronous=FULL; but the
 * wait for the disk is not SQLite's, which would hold up this thread (synchronous=NORMAL syncs at checkpoints alone).
 * What is committed can be read a moment before it is on disk.
 */
export function openSqlite(file: string, options: SqliteOptions = {}): Store {
  const { oneTurn = false, checkStatement, ...syncOptions } = options;
  const writer = openWriter(file);
  const memory = file === ':memory:' || file === '';
  const reader = memory ? null : openReader(file);
  const wal = memory ? null : openWalSync(file, syncOptions);
  // A process that died may have left pages of the log that never reached the disk, even after a sync that failed.
  // Pages written after such a gap would be lost with it. So the log is copied into the database and begins again.
  if (!memory) writer.pragma('wal_checkpoint(PASSIVE)');

  const write = queriesOn(writer, checkStatement);
  // A connection's own commits leave its data_version alone; any other connection's change it.
  const dataVersion = writer.prepare('PRAGMA data_version').pluck();
  const outsideVersion = () => Number(dataVersion.get());
  const shared = reader && shareReads(reader, outsideVersion);
  const seen = () => shared?.join() ?? outsideVersion();
  const groups = createGroupCommit(writer, write, wal, () => shared?.end());

  const transaction = <T>(fn: (tx: Transaction) => Promise<T>): Promise<T> =>
    groups.transaction(oneTurn ? (tx) => inOneTurn(() => fn(tx)) : fn);

  return {
    dialect: 'sqlite',
    ...(reader ? queriesOn(reader, checkStatement, seen) : write),
    run: (sql, params) => transaction((tx) => tx.run(sql, params)),
    transaction,
    shareBy: groups.shareBy,
    async snapshot(fn) {
      // A database in memory has one connection, which cannot keep an earlier state.
      if (memory) throw new Error('a database in memory has no snapshots');
      const connection = openReader(file);
      try {
        connection.exec('BEGIN');
        return await fn(queriesOn(connection, checkStatement));
      } finally {
        connection.close();
      }
    },
    outsideVersion: async () => seen(),
    revision: async () => `${groups.commits()}:${seen()}`,
    durable: async () => wal?.durable(),
    failure: () => wal?.failure() ?? null,
    async backup(target) {
      await writer.backup(target);
    },
    async close() {
      await groups.close();
      wal?.close();
      shared?.end();
      reader?.close();
      tidy(writer);
      writer.close();
    },
  };
}

function openWriter(file: string): Connection {
  const writer = new Database(file);
  writer.pragma('journal_mode = WAL');
  writer.pragma('synchronous = NORMAL');
  // Our sync of the log empties the disk's own cache on macOS too; what SQLite does around a checkpoint must as well,
  // or the log may be overwritten on the disk before its pages are in the database. Elsewhere this changes nothing.
  writer.pragma('checkpoint_fullfsync = ON');
  writer.pragma('foreign_keys = ON');
  writer.pragma(`busy_timeout = ${BUSY_MS}`);
  // Data that a savepoint could restore is kept in memory, not in a file.
  writer.pragma('temp_store = MEMORY');
  // A group of commits touches many pages: they stay in memory until it is written, and go from the log into the
  // file so seldom that pages written again and again go there once.
  writer.pragma(`cache_size = -${CACHE_KIB}`);
  writer.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  return writer;
}

function openReader(file: string): Connection {
  const reader = new Database(file, { readonly: true });
  reader.pragma(`busy_timeout = ${BUSY_MS}`);
  return reader;
}

/** Renews the statistics of the tables; left to the next time when another process is writing. */
function tidy(connection: Connection): void {
  try {
    if (connection.open) connection.pragma('optimize');
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
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
