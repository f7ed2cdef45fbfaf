// The session by which a process is known to the others: it holds the process's own lock and every lock that the process has
// taken. The server ends it when the process has died, or has been silent for long, and with it all locks are free.
import pg from 'pg';
import { pause } from '../../../../../shared/pause.js';
import { StoreUnavailableError } from '../../sql.js';
import { clock, LONGEST_PAUSE_MS, patience } from '../availability.js';
import { isConnectionLost } from '../errors.js';
import { ALIVE } from './schema.js';

/** The server ends a session that is silent for so long, e.g. of a process that was stopped. */
const SILENT_MS = 10_000;
const BETWEEN_SIGNS_MS = 2_500;
/** And one whose machine is gone. */
const SETTINGS = `SET idle_session_timeout = ${SILENT_MS};
  SET tcp_keepalives_idle = 4; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3`;
const CONNECT_MS = 5_000;
/** A query that is not answered for so long ends the session: all of them are short. */
const ANSWER_MS = 5_000;

export interface Session {
  /** @throws StoreUnavailableError if there is no session and none comes within `waitMs` */
  query(text: string, values: unknown[]): Promise<pg.QueryResult>;
  close(): Promise<void>;
}

export interface SessionOptions {
  readonly url: string;
  readonly waitMs: number;
  /** The number of this process. */
  readonly process: number;
  /** Called with each new session before anybody else uses it: what the last one held is gone. */
  readonly renewed: (client: pg.Client) => Promise<void>;
}

interface Open {
  readonly client: pg.Client;
  readonly ended: Promise<void>;
}

/** @throws the client's error if there is no connection at first */
export async function openSession({ url, waitMs, process, renewed }: SessionOptions): Promise<Session> {
  const closed = new AbortController();
  const connect = async (): Promise<Open> => {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'cidermill shared',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
    });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    // Its end says the same.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(SETTINGS);
      // A process that checks whether this one lives holds the lock for a moment.
      await client.query('SELECT pg_advisory_lock($1, $2)', [ALIVE, process]);
      await renewed(client);
      closed.signal.throwIfAborted();
      return { client, ended };
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  };
  /** Waits; returns at once when the session is no longer wanted. */
  const rest = (ms: number) => pause(clock, ms, closed.signal).catch(() => undefined);

  let open: Open | null = await connect();
  const keep = async () => {
    while (!closed.signal.aborted) {
      if (open !== null) await open.ended;
      open = null;
      open = await connectAgain();
    }
  };
  const connectAgain = async () => {
    while (!closed.signal.aborted) {
      const found = await connect().catch(() => null);
      if (found !== null) return found;
      await rest(LONGEST_PAUSE_MS);
    }
    return null;
  };
  const waiting = patience(waitMs);
  const giveSigns = async () => {
    while (!closed.signal.aborted) {
      await rest(BETWEEN_SIGNS_MS);
      const current = open;
      // What does not answer is given up.
      await current?.client.query('SELECT 1').catch(() => current.client.end().catch(() => undefined));
    }
  };
  const running = [keep(), giveSigns()];
  const ask = async (client: pg.Client, text: string, values: unknown[]) => {
    try {
      return await client.query(text, values);
    } catch (error) {
      if (error instanceof pg.DatabaseError && !isConnectionLost(error)) throw error;
      // Whether it was carried out is not known: what it has locked ends with its session.
      void client.end().catch(() => undefined);
      throw new StoreUnavailableError({ cause: error });
    }
  };

  return {
    async query(text, values) {
      for (;;) {
        try {
          if (open === null) throw new StoreUnavailableError();
          const result = await ask(open.client, text, values);
          waiting.answered();
          return result;
        } catch (error) {
          if (!(error instanceof StoreUnavailableError) || closed.signal.aborted || !waiting.failed()) throw error;
        }
        await rest(LONGEST_PAUSE_MS / 5);
      }
    },
    async close() {
      closed.abort();
      await open?.client.end().catch(() => undefined);
      await Promise.all(running);
    },
  };
}
