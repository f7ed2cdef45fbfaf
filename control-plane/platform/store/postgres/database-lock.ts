// Who uses a database: one process alone, or several that know of each other. Each holds an advisory lock of the server
// while it runs, the one alone exclusively, the others together.
import pg from 'pg';
import { systemClock as clock } from '../../../../shared/clock.js';
import { pause } from '../../../../shared/pause.js';

/** Any number that other programs on the same database do not lock. */
export const DATABASE_LOCK = 1_667_851_621;
const MIGRATION_LOCK = DATABASE_LOCK + 1;
/** The server notices within 11 s that the machine of a session is gone. */
const KEEPALIVE = 'SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3';
/** A service that has died holds the lock until then, ms. */
const PATIENCE_MS = 15_000;
const BETWEEN_MS = 500;
const CONNECT_MS = 5_000;

export class DatabaseInUseError extends Error {
  constructor() {
    super('another service uses this database');
    this.name = 'DatabaseInUseError';
  }
}

export interface LockOptions {
  /** Called once if another service has taken the lock meanwhile: this one must end. */
  readonly onLost: (error: DatabaseInUseError) => void;
  /** How long it waits for a service that has died, ms. */
  readonly patienceMs?: number;
  /** Whether other processes may hold it too, if they also say so. */
  readonly shared?: boolean;
}

interface Wanted {
  readonly url: string;
  readonly shared: boolean;
  /** How long it waits for a service that has died, ms. */
  readonly ms: number;
  readonly released: AbortSignal;
}

export interface DatabaseLock {
  release(): Promise<void>;
}

/**
 * Waits up to 15 s for the lock, and takes it again when its connection is lost.
 *
 * @throws DatabaseInUseError, or the client's error if there is no connection at first
 */
export async function lockDatabase(url: string, options: LockOptions): Promise<DatabaseLock> {
  const { onLost, patienceMs: ms = PATIENCE_MS, shared = false } = options;
  const released = new AbortController();
  const wanted: Wanted = { url, shared, ms, released: released.signal };
  let held = await takeWithin(wanted);
  const keep = async () => {
    for (;;) {
      await held.lost;
      const next = await takeAgain(wanted);
      if (next === null) return;
      if (next instanceof DatabaseInUseError) return onLost(next);
      held = next;
      // Released while it was taken.
      if (released.signal.aborted) await held.end();
    }
  };
  const kept = keep();
  return {
    async release() {
      released.abort();
      await held.end();
      await kept;
    },
  };
}

/** Runs `work` while no other process does this on the same database. */
export async function whileNoOtherMigrates<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    // Not in a transaction: what this process reads next must be what the others have committed.
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await work();
  } finally {
    await ended(client);
  }
}

interface Held {
  /** Resolves when the connection has ended. */
  readonly lost: Promise<void>;
  end(): Promise<void>;
}

/** Tries as long as there is no connection. Returns null when the lock is no longer wanted. */
async function takeAgain(wanted: Wanted): Promise<Held | DatabaseInUseError | null> {
  const { released } = wanted;
  while (!released.aborted) {
    try {
      return await takeWithin(wanted);
    } catch (error) {
      if (error instanceof DatabaseInUseError) return released.aborted ? null : error;
      // No connection: the requests that need one say so, and log why.
    }
    // Rejects when the lock is no longer wanted, which ends the loop.
    await pause(clock, BETWEEN_MS, released).catch(() => undefined);
  }
  return null;
}

async function takeWithin(wanted: Wanted): Promise<Held> {
  const { ms, released } = wanted;
  for (const until = clock.monotonic() + ms; ; ) {
    const held = await take(wanted);
    if (held !== null) return held;
    if (released.aborted || clock.monotonic() >= until) throw new DatabaseInUseError();
    // Rejects when the lock is no longer wanted, which is looked at next.
    await pause(clock, BETWEEN_MS, released).catch(() => undefined);
  }
}

/** Returns null if the lock is held in a way that excludes this. */
async function take({ url, shared }: Wanted): Promise<Held | null> {
  const client = await connect(url);
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  const end = () => ended(client);
  try {
    const lock = shared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
    const { rows } = await client.query(`SELECT ${lock}($1) AS taken`, [DATABASE_LOCK]);
    if (rows[0].taken) return { lost, end };
  } catch (error) {
    await end();
    throw error;
  }
  await end();
  return null;
}

async function connect(url: string): Promise<pg.Client> {
  const settings = { application_name: 'cidermill lock', keepAlive: true, connectionTimeoutMillis: CONNECT_MS };
  const client = new pg.Client({ connectionString: url, ...settings });
  // Its end says the same.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(KEEPALIVE);
  } catch (error) {
    await ended(client);
    throw error;
  }
  return client;
}

/** A connection that cannot be ended in order has ended. */
const ended = (client: pg.Client): Promise<void> => client.end().catch(() => undefined);
