// A connection of its own that is opened again whenever it is lost.
import pg from 'pg';
import { pause } from '../../../../shared/pause.js';
import { clock, LONGEST_PAUSE_MS } from './availability.js';

const CONNECT_MS = 5_000;
/** A server that has not answered by then is not waited for. */
const ANSWER_MS = 4_000;

export interface SteadyClient {
  /** Rejects at once when there is no connection. A failed query ends the connection. */
  query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
  /** Ends the connection; the next one is opened. */
  reconnect(): void;
  close(): Promise<void>;
}

interface Events {
  /** Called with each new connection, before anybody else may use it. */
  opened(client: pg.Client): Promise<void>;
  /** Called when it can be used. */
  usable(): void;
  /** Called when there is no connection, with the reason, once until there is one. */
  failed(error: Error): void;
}

export function keepClient(url: string, { name, opened, usable, failed }: { name: string } & Events): SteadyClient {
  const closing = new AbortController();
  let current: pg.Client | null = null;

  const connection = async (told: () => void) => {
    const client = new pg.Client({
      connectionString: url,
      application_name: name,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
    });
    const ended = new Promise<Error>((resolve) => {
      client.on('error', resolve);
      client.once('end', () => resolve(new Error('the connection has ended')));
    });
    const leave = () => destroy(client);
    closing.signal.addEventListener('abort', leave);
    try {
      await client.connect();
      await opened(client);
      closing.signal.removeEventListener('abort', leave);
      if (closing.signal.aborted) return null;
      current = client;
      told();
      usable();
      return await ended;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      closing.signal.removeEventListener('abort', leave);
      current = null;
      destroy(client);
    }
  };
  const keep = async () => {
    let silent = false;
    while (!closing.signal.aborted) {
      const error = await connection(() => {
        silent = false;
      });
      if (closing.signal.aborted || error === null) return;
      if (!silent) failed(error);
      silent = true;
      // Rejects when it is closed, which ends the loop.
      await pause(clock, LONGEST_PAUSE_MS, closing.signal).catch(() => undefined);
    }
  };
  const kept = keep();

  return {
    async query(text, values = []) {
      const client = current;
      if (client === null) throw new Error('there is no connection');
      try {
        return await client.query(text, [...values]);
      } catch (error) {
        // The server may still be busy with it.
        if (current === client) destroy(client);
        throw error;
      }
    },
    reconnect() {
      if (current !== null) destroy(current);
    },
    async close() {
      closing.abort();
      const client = current;
      if (client !== null) await client.end().catch(() => undefined);
      await kept;
    },
  };
}

/** Ends a connection without asking the server, which may not answer. */
function destroy(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
  stream.destroy();
}
