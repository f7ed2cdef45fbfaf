// Sends one POST with node:http. Its headers are given as a list and its body at once, so that they are checked once and
// leave in one write: that is a third of what a request costs.

import { type Agent, type IncomingMessage, request as send } from 'node:http';
import { systemClock, type Timer } from '../../../shared/clock.js';
import { ignoreInterimAnswers } from './interim-answers.js';
import type { PinnedRequest } from './pinned-agent.js';

export interface HttpPost {
  /** The address to connect to. */
  readonly address: string;
  readonly url: URL;
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

/**
 * @param agent made by `createPinnedAgent`
 * @example const { answer } = startPost(agent, { address, url, headers: {}, body: '{}', keepBytes: 4096, onStatus() {} });
 */
export function startPost(agent: Agent, post: HttpPost): HttpExchange {
  const { address, url, body, keepBytes, onStatus } = post;
  const headers = ['host', url.host, ...Object.entries(post.headers).flat()];
  headers.push('content-length', String(Buffer.byteLength(body)));
  const options: PinnedRequest = {
    method: 'POST',
    path: url.pathname + url.search,
    headers,
    setHost: false,
    agent,
    origin: url.origin,
    address,
  };
  const request = send(options);
  let isOver = false;
  const abort = () => {
    // The connection of an answer that has ended serves other requests.
    if (!isOver) request.destroy(OVER);
  };
  ignoreInterimAnswers(request);
  const answer = new Promise<HttpAnswer>((resolve, reject) => {
    let head: Omit<HttpAnswer, 'body'> | null = null;
    let late: Timer | null = null;
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (error?: Error) => {
      isOver = true;
      late?.cancel();
      if (head) resolve({ ...head, body: Buffer.concat(chunks).subarray(0, keepBytes) });
      else reject(error ?? OVER);
    };
    request.on('response', (response) => {
      head = { status: response.statusCode ?? 0, headers: textHeaders(response) };
      late = systemClock.setTimeout(abort, BODY_MS);
      response.on('data', (chunk: Buffer) => {
        if (size < keepBytes) chunks.push(chunk);
        size += chunk.length;
        if (size > LONGEST_BODY) abort();
      });
      response.on('end', () => end());
      onStatus();
    });
    request.on('error', end);
    // Without an error when the server switches to another protocol.
    request.on('close', () => end());
  });
  request.end(body);
  return { answer, abort };
}

function textHeaders({ headers }: IncomingMessage): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) texts[name] = [value ?? ''].flat().join(', ');
  return texts;
}
