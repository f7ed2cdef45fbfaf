// Sends one POST over a connection pool with undici's event handlers: a stream and an abort signal per request would
// cost more than the rest of a delivery.

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import { systemClock, type Timer } from '../../../shared/clock.js';

export interface HttpPost {
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Maximum bytes of the response body to keep. */
  readonly keepBytes: number;
  onStatus(): void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The first bytes; fewer if the rest did not arrive in time. */
  readonly body: Buffer;
}

export interface HttpExchange {
  /** Rejects if no status was received. */
  readonly answer: Promise<HttpAnswer>;
  /** Aborts the request. If the status has arrived, `answer` resolves with the bytes received so far. */
  abort(): void;
}

/** In bytes. A longer body is cut off and its connection closed. */
const LONGEST_BODY = 64 * 1024;
/** Time limit for the body, from the status on. Later bytes are dropped. */
const BODY_MS = 1_000;
/** Shared by all requests: creating an error with its stack for each one costs more than signing a delivery. */
const OVER = new Error('over');

/** @example const { answer } = startPost(pool, { path: '/', headers: {}, body: '{}', keepBytes: 4096, onStatus() {} }); */
export function startPost(pool: Pool, { keepBytes, onStatus, ...post }: HttpPost): HttpExchange {
  let controller: Dispatcher.DispatchController | null = null;
  let aborted = false;
  const abort = () => {
    aborted = true;
    // Once the status has arrived, the answer resolves despite this error.
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
          // Informational responses such as 103 precede the final response.
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
