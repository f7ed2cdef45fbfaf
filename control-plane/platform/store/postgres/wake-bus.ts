// Wake-ups of the other processes, by LISTEN and NOTIFY. Hints: what is lost is found by looking. They are collected for
// a moment and sent by one connection, because each NOTIFY locks the whole server for its commit.
import type pg from 'pg';
import type { Timer } from '../../../../shared/clock.js';
import { WAKE_CHANNEL as CHANNEL } from '../processes.js';
import { clock } from './availability.js';
import { keepClient } from './steady-client.js';

const COLLECT_MS = 10;
/** A payload has less than 8000 bytes. */
const PAYLOAD_BYTES = 7_500;
/** More than this in one turn is "everything". */
const MOST_PAYLOADS = 8;
/** This process's own beats come back through the server. If none does, the connection is dead, although nothing has closed it. */
const SILENCE_MS = 8_000;

/** Topic, key, and what it is about. */
export type Hint = readonly [topic: string, key: string, about?: unknown];

export interface WakeBus {
  send(hint: Hint): void;
  /** Anything may have changed. */
  sendAll(): void;
  /** Runs a statement of this process's own on the connection that sends. */
  query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
  /** Sends what is waiting, and closes the connections. */
  close(): Promise<void>;
}

/**
 * @param options.received called with the hints of other processes; null: anything may have changed, because hints may
 *   have been lost or were too many
 * @param options.failed called when there is no connection, once until there is one
 */
export function openWakeBus(
  url: string,
  {
    processId,
    opened,
    received,
    failed,
  }: {
    processId: string;
    /** Called when statements can be run (again). */
    opened(): void;
    received(hints: readonly Hint[] | null): void;
    failed(error: Error): void;
  },
): WakeBus {
  let waiting = new Map<string, Hint>();
  let everything = false;
  let timer: Timer | null = null;
  let sending: Promise<void> | null = null;
  let heardAt = clock.monotonic();
  let closed = false;

  const sender = keepClient(url, { name: 'cidermill wake-ups', opened: async () => undefined, usable: opened, failed });
  const listener = keepClient(url, {
    name: 'cidermill listener',
    async opened(client) {
      client.on('notification', ({ payload = '' }) => heard(payload));
      await client.query(`LISTEN ${CHANNEL}`);
      heardAt = clock.monotonic();
      // Whatever was sent while nobody listened.
      if (!closed) received(null);
    },
    usable: () => undefined,
    failed,
  });

  const heard = (payload: string) => {
    heardAt = clock.monotonic();
    const [from, hints] = decoded(payload);
    if (from !== processId && !closed) received(hints);
  };

  const notify = async (payloads: readonly string[]) => {
    const calls = payloads.map((_, i) => `pg_notify('${CHANNEL}', $${i + 1})`);
    await sender.query(`SELECT ${calls.join(', ')}`, payloads);
  };
  const flush = async () => {
    const payloads = everything ? [encoded(processId, null)] : packed(processId, [...waiting.values()]);
    waiting = new Map();
    everything = false;
    try {
      await notify(payloads);
    } catch {
      // There is no connection, which `failed` is told; what was collected is sent as "everything" once there is one.
      everything = true;
    }
  };
  const start = () => {
    if (timer !== null || sending !== null || closed) return;
    timer = clock.setTimeout(() => {
      timer = null;
      sending = flush().then(() => {
        sending = null;
        // What could not be sent waits for the next beat.
        if (waiting.size > 0) start();
      });
    }, COLLECT_MS);
  };

  return {
    send(hint) {
      if (!everything) waiting.set(JSON.stringify(hint), hint);
      start();
    },
    sendAll() {
      everything = true;
      start();
    },
    async query(text, values) {
      const result = await sender.query(text, values);
      if (clock.monotonic() - heardAt > SILENCE_MS) listener.reconnect();
      if (everything) start();
      // Comes back by the listener.
      await notify([encoded(processId, [])]);
      return result;
    },
    async close() {
      timer?.cancel();
      timer = null;
      await sending;
      if (waiting.size > 0 || everything) await flush();
      closed = true;
      await Promise.all([sender.close(), listener.close()]);
    },
  };
}

/** What another version or program has sent may be anything. */
function decoded(payload: string): readonly [from: string, hints: readonly Hint[] | null] {
  try {
    const [from, hints]: [string, Hint[] | null] = JSON.parse(payload);
    return [from, Array.isArray(hints) && hints.every(Array.isArray) ? hints : null];
  } catch {
    return ['', null];
  }
}

const encoded = (processId: string, hints: readonly Hint[] | null) => JSON.stringify([processId, hints]);

/** Returns payloads that are short enough, or one that says "everything". */
export function packed(processId: string, hints: readonly Hint[]): string[] {
  const payloads: string[] = [];
  let part: Hint[] = [];
  let bytes = 0;
  const full = PAYLOAD_BYTES - processId.length - 8;
  for (const hint of hints) {
    const size = Buffer.byteLength(JSON.stringify(hint)) + 1;
    if (size > full) return [encoded(processId, null)];
    if (bytes + size > full) {
      payloads.push(encoded(processId, part));
      part = [];
      bytes = 0;
    }
    part.push(hint);
    bytes += size;
  }
  payloads.push(encoded(processId, part));
  return payloads.length > MOST_PAYLOADS ? [encoded(processId, null)] : payloads;
}
