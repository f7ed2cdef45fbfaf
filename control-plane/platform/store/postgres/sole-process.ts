// One service at a time uses a database: it holds an advisory lock of the server while it runs.
import pg from 'pg';
import { systemClock as clock } from '../../../../shared/clock.js';
import { pause } from '../../../../shared/pause.js';

/** Any number that other programs on the same database do not lock. */
export const DATABASE_LOCK = 1_667_851_621;
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
}

export interface DatabaseLock {
  release(): Promise<void>;
}

/**
 * Waits up to 15 s for the lock, and takes it again when its connection is lost.
 *
 * @throws DatabaseInUseError, or the client's error if there is no connection at first
 */
export async function lockDatabase(
  url: string,
  { onLost, patienceMs = PATIENCE_MS }: LockOptions,
): Promise<DatabaseLock> {
  const released = new AbortController();
  let held = await takeWithin(patienceMs, url, released.signal);
  const keep = async () => {
    for (;;) {
      await held.lost;
      const next = await takeAgain(patienceMs, url, released.signal);
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

interface Held {
  /** Resolves when the connection has ended. */
  readonly lost: Promise<void>;
  end(): Promise<void>;
}

/** Tries as long as there is no connection. Returns null when the lock is no longer wanted. */
async function takeAgain(ms: number, url: string, released: AbortSignal): Promise<Held | DatabaseInUseError | null> {
  while (!released.aborted) {
    try {
      return await takeWithin(ms, url, released);
    } catch (error) {
      if (error instanceof DatabaseInUseError) return released.aborted ? null : error;
      // No connection: the requests that need one say so, and log why.
    }
    // Rejects when the lock is no longer wanted, which ends the loop.
    await pause(clock, BETWEEN_MS, released).catch(() => undefined);
  }
  return null;
}

async function takeWithin(ms: number, url: string, released: AbortSignal): Promise<Held> {
  for (const until = clock.monotonic() + ms; ; ) {
    const held = await take(url);
    if (held !== null) return held;
    if (released.aborted || clock.monotonic() >= until) throw new DatabaseInUseError();
    // Rejects when the lock is no longer wanted, which is looked at next.
    await pause(clock, BETWEEN_MS, released).catch(() => undefined);
  }
}

/** Returns null if another session holds the lock. */
async function take(url: string): Promise<Held | null> {
  const settings = { application_name: 'cidermill lock', keepAlive: true, connectionTimeoutMillis: CONNECT_MS };
  const client = new pg.Client({ connectionString: url, ...settings });
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  // Its end says the same.
  client.on('error', () => undefined);
  // A connection that cannot be ended in order has ended.
  const end = () => client.end().catch(() => undefined);
  try {
    await client.connect();
    await client.query(KEEPALIVE);
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [DATABASE_LOCK]);
    if (rows[0].taken) return { lost, end };
  } catch (error) {
    await end();
    throw error;
  }
  await end();
  return null;
}
