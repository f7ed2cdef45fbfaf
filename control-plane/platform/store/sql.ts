// The store port: small and asynchronous, so that the same files work with another SQL database. SQL in this folder is
// plain: integers for times (ms) and booleans, JSON as text, RETURNING, ON CONFLICT.

export type SqlValue = string | number | Buffer | null;

/** Named parameters: `:name` in the SQL. */
export type SqlParams = Readonly<Record<string, SqlValue>>;

export interface Queries {
  /** The first row, or undefined. The caller, who writes the SQL, asserts the row's type. */
  get<Row>(sql: string, params?: SqlParams): Promise<Row | undefined>;
  all<Row>(sql: string, params?: SqlParams): Promise<Row[]>;
  run(sql: string, params?: SqlParams): Promise<{ changes: number }>;
}

/** A transaction must await only its own queries. */
export interface Transaction extends Queries {
  /** Runs `fn` after the commit has reached the disk; not at all when the transaction is rolled back. */
  onCommit(fn: () => void): void;
  /** Runs `fn` if the transaction is rolled back for any reason: for caches that have seen it. */
  onRollback(fn: () => void): void;
}

/** Who uses the thread. */
export interface Sharing {
  current(): string | null;
  charge(party: string, ms: number): void;
}

export type Dialect = 'sqlite' | 'postgres';

export interface Store extends Queries {
  /** For what must be written differently (`dialect.ts`). */
  readonly dialect: Dialect;
  /**
   * Runs `fn` atomically; when the promise resolves, what it wrote survives a power loss.
   * Transactions run one after the other; several that wait may share one commit.
   * Reads outside a transaction see what is committed, maybe a moment before it would survive that; of what another process
   * commits, what it had committed when the first read of this turn of the event loop ran.
   */
  transaction<T>(fn: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Resolves when everything that a read before the call can have seen survives a power loss. For effects that cannot
   * be undone and come from a read alone: an answer that something has been done before, a file that is deleted, a
   * message to a host. Throws StoreFailedError when that is unknown, and ProcessGivenUpError when another process does this
   * process's work now.
   */
  durable(): Promise<void>;
  /** Why nothing can be written until the service is started again; null while all is well. */
  failure(): StoreFailedError | null;
  /**
   * Runs transactions of several parties in turn from now on, and counts the time of each towards its party.
   *
   * @param turns `current` is the party that begins a transaction; null: the service itself
   * @param stopwatch milliseconds that pass evenly
   */
  shareBy(turns: Sharing, stopwatch: () => number): void;
  /**
   * Runs `fn` with queries that all see one committed state, which later writes do not change. Unlike a transaction it
   * may take long and wait for anything: it holds nobody up. The database's log cannot be shortened meanwhile.
   */
  snapshot<T>(fn: (q: Queries) => Promise<T>): Promise<T>;
  /** A number that changes only when another process has written to the database. */
  outsideVersion(): Promise<number>;
  /**
   * Names the committed state that a read begun now would see: two equal answers mean that nothing was committed
   * in between, by this process or another. For caches, and to detect that several reads saw the same state.
   */
  revision(): Promise<string>;
  /** Writes a consistent copy to `file` while the service goes on (online backup). */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/** A unique or foreign key was violated. `constraint` names the columns as reported by the database. */
export class ConstraintError extends Error {
  readonly constraint: string;
  constructor(constraint: string, options?: ErrorOptions) {
    super(`constraint violated: ${constraint}`, options);
    this.name = 'ConstraintError';
    this.constraint = constraint;
  }
}

/** The server of the database does not answer. A transaction that was being committed may have been carried out. */
export class StoreUnavailableError extends Error {
  readonly code = 'STORE_UNAVAILABLE';
  constructor(options?: ErrorOptions, message = 'the database does not answer') {
    super(message, options);
    this.name = 'StoreUnavailableError';
  }
}

/** The other processes have given this one up: it can no longer write, and ends. */
export class ProcessGivenUpError extends StoreUnavailableError {
  constructor() {
    super({}, 'the other processes have not seen this one for too long, and have taken over what it did');
    this.name = 'ProcessGivenUpError';
  }
}

/** The disk failed to store a commit. From then on every write fails, while reads continue. */
export class StoreFailedError extends Error {
  constructor(options?: ErrorOptions) {
    super(
      'the disk has failed to keep what was written to the database: nothing more is written until the service is ' +
        'started again; look at the disk (full? failing?) first',
      options,
    );
    this.name = 'StoreFailedError';
  }
}
