// One POST over a pool of connections, by undici's own events: a stream and an abort signal for each would cost more
// than everything else about a delivery.

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import { systemClock, type Timer } from '../../../shared/clock.js';

export interface HttpPost {
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How much of the answer's body is kept. */
  readonly keepBytes: number;
  onStatus(): void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The first bytes; fewer when the rest did not come in time. */
  readonly body: Buffer;
}

export interface HttpExchange {
  /** Rejects when no status came. */
  readonly answer: Promise<HttpAnswer>;
  /** Ends it; the answer, if its status has come, is what there is of it. */
  abort(): void;
}

/** A longer body is cut off, and its connection with it. */
const LONGEST_BODY = 64 * 1024;
/** After the status; what has not come by then is not shown. */
const BODY_MS = 1_000;
/** One for all: making one with its stack for every exchange costs more than signing it. */
const OVER = new Error('over');

/** @example const { answer } = startPost(pool, { path: '/', headers: {}, body: '{}', keepBytes: 4096, onStatus() {} }); */
export function startPost(pool: Pool, { keepBytes, onStatus, ...post }: HttpPost): HttpExchange {
  let controller: Dispatcher.DispatchController | null = null;
  let aborted = false;
  const abort = () => {
    aborted = true;
    // A status that came says more than that the rest was cut off.
    controller?.abort(OVER);
  };
  const answer = new Promise<HttpAnswer>((resolve, reject) => {
    let head: Omit<HttpAnswer, 'body'> | null = null;
    let late: Timer | null = null;
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (error?: Error) => {
      late?.cancel();
      if (head) resolve({ ...head, body: Buffer.concat(chunks).subarray(0, keepBytes) });
      else reject(error ?? OVER);
    };
    pool.dispatch(
      { method: 'POST', ...post },
      {
        onRequestStart(started) {
          controller = started;
          if (aborted) started.abort(OVER);
        },
        onResponseStart(_, status, headers) {
          // 103 and its like come before the answer.
          if (status < 200) return;
          head = { status, headers: textHeaders(headers) };
          late = systemClock.setTimeout(abort, BODY_MS);
          onStatus();
        },
        onResponseData(_, chunk) {
          if (size < keepBytes) chunks.push(chunk);
          size += chunk.length;
          if (size > LONGEST_BODY) abort();
        },
        onResponseEnd: () => end(),
        onResponseError: (_, error) => end(error),
      },
    );
  });
  return { answer, abort };
}

function textHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) texts[name] = [value ?? ''].flat().join(', ');
  return texts;
}
