// One request and its response: address, headers, body, timeout, retries, errors.
import type { Clock, Timer } from '../../shared/clock.js';
import { BAD_RESPONSE, CidermillError, errorFromResponse, unreachable } from '../cidermill-error.js';
import type { QueryValue } from '../operations/operation.js';
import { bytesOf, type FetchLike, type ResponseLike, type SendBody } from './fetch-like.js';
import { type RetryPolicy, withRetry } from './retry.js';

/** What every request of one client shares. */
export interface Wire {
  /** Address of the API without a trailing slash; it ends in the version segment. */
  baseUrl: string;
  /** Address below which the console API's paths (`/v1/…`) are served, without a trailing slash. */
  runnerUrl: string;
  key: string | null;
  userAgent: string | null;
  fetch: FetchLike;
  clock: Clock;
  random: () => number;
  randomId: () => string;
  retry: RetryPolicy;
  /** Timeout in ms without any progress; long polls add their waiting time. */
  timeoutMs: number;
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its leading slash, below the address of its API. */
  path: string;
  /** Default: the API for programs. */
  api?: 'console';
  query?: Readonly<Record<string, QueryValue>>;
  json?: unknown;
  /** A body that is not JSON; called for every attempt. */
  bytes?: { type: string; content: () => SendBody };
  /** How long the service may hold the request (long poll), in ms. */
  holdMs?: number;
  options?: CallOptions | undefined;
}

/** What a caller may add to any request. */
export interface CallOptions {
  signal?: AbortSignal;
  retry?: Partial<RetryPolicy>;
  /** Makes a POST, PATCH or DELETE safe to retry across processes; random by default. */
  idempotencyKey?: string;
}

/** Sends a request and parses its JSON response. Its shape is that of the contract and is not checked. */
export async function fetchJson<T>(wire: Wire, call: Call): Promise<T> {
  return parsed<T>(call, await answerTo(wire, call));
}

/** The same; null for an answer without content (204). */
export async function fetchJsonOrNull<T>(wire: Wire, call: Call): Promise<T | null> {
  const answer = await answerTo(wire, call);
  return answer.status === 204 ? null : parsed<T>(call, answer);
}

interface Answer {
  status: number;
  body: string;
}

function answerTo(wire: Wire, call: Call): Promise<Answer> {
  return exchange(wire, call, async (response) => ({ status: response.status, body: await response.text() }));
}

function parsed<T>(call: Call, { status, body }: Answer): T {
  try {
    return JSON.parse(body) as T;
  } catch (cause) {
    const message = `the answer to ${call.method} ${call.path} is not JSON; is this the service's address?`;
    throw new CidermillError({ code: BAD_RESPONSE, message, status, retryable: false }, { cause });
  }
}

/** Sends a call and returns its answer as text; an empty answer is an empty string. */
export function fetchText(wire: Wire, call: Call): Promise<string> {
  return exchange(wire, call, (response) => response.text());
}

/**
 * Sends a request and yields the bytes of the response as they arrive; retries only until the headers have arrived.
 *
 * @param lost the message of the error when the connection is lost or stalls after that
 */
export async function* fetchBytes(wire: Wire, call: Call, lost: string): AsyncGenerator<Uint8Array, void, undefined> {
  const { response, line } = await exchange(wire, call, async (response, line) => {
    line.keep();
    return { response, line };
  });
  try {
    for await (const chunk of bytesOf(response.body)) {
      line.pause(); // While the reader is busy, silence is not caused by the service.
      yield chunk;
      line.touch();
    }
  } catch (error) {
    call.options?.signal?.throwIfAborted();
    throw unreachable(lost, error);
  } finally {
    line.close();
  }
}

/** `read` is part of the exchange: a connection lost while it runs is retried like any other. */
function exchange<T>(wire: Wire, call: Call, read: (response: ResponseLike, line: Line) => Promise<T>): Promise<T> {
  const headers = headersOf(wire, call);
  // A repeated PUT has the same result; a repeated DELETE would find nothing.
  if (call.method === 'POST' || call.method === 'PATCH' || call.method === 'DELETE')
    headers['idempotency-key'] = call.options?.idempotencyKey ?? wire.randomId();
  return withRetry(() => sendOnce(wire, call, headers, read), {
    policy: { ...wire.retry, ...call.options?.retry },
    clock: wire.clock,
    random: wire.random,
    signal: call.options?.signal,
  });
}

async function sendOnce<T>(
  wire: Wire,
  call: Call,
  headers: Record<string, string>,
  read: (response: ResponseLike, line: Line) => Promise<T>,
): Promise<T> {
  const url = addressOf(wire, call);
  const caller = call.options?.signal;
  caller?.throwIfAborted();
  const line = openLine(wire.clock, wire.timeoutMs + (call.holdMs ?? 0), caller);
  const body = bodyOf(call, line.touch);
  try {
    const response = await wire.fetch(url, {
      method: call.method,
      headers,
      signal: line.signal,
      ...(body.content === undefined ? {} : { body: body.content }),
    });
    line.touch();
    if (response.status >= 200 && response.status < 300) return await read(response, line);
    throw errorFromResponse(response, await response.text(), wire.clock.now());
  } catch (error) {
    line.close();
    caller?.throwIfAborted();
    if (body.failure()) throw body.failure();
    if (error instanceof CidermillError) throw error;
    const { origin } = new URL(url);
    if (line.wentSilent()) throw unreachable(`${origin} did not answer in time`, error);
    throw unreachable(`cannot reach ${origin}: ${reasonOf(error)}`, error);
  } finally {
    if (!line.kept()) line.close();
  }
}

function addressOf(wire: Wire, call: Call): string {
  const base = call.api === 'console' ? wire.runnerUrl : wire.baseUrl;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  return `${base}${call.path}${query.size > 0 ? `?${query}` : ''}`;
}

function headersOf(wire: Wire, call: Call): Record<string, string> {
  return {
    'service-error-format': '2',
    ...(wire.key === null ? {} : { authorization: `Bearer ${wire.key}` }),
    ...(wire.userAgent === null ? {} : { 'user-agent': wire.userAgent }),
    ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(call.bytes === undefined ? {} : { 'content-type': call.bytes.type }),
  };
}

/** The body to send. A streamed one resets the timeout while it makes progress, and records its own failure. */
function bodyOf(call: Call, touch: () => void): { content?: SendBody; failure: () => unknown } {
  if (call.json !== undefined) return { content: JSON.stringify(call.json), failure: () => undefined };
  if (call.bytes === undefined) return { failure: () => undefined };
  const content = call.bytes.content();
  if (typeof content === 'string' || content instanceof Uint8Array) return { content, failure: () => undefined };
  let failed: unknown;
  async function* watched(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of source) {
        touch();
        yield chunk;
      }
    } catch (error) {
      failed = error;
      throw error;
    }
  }
  return { content: watched(content), failure: () => failed };
}

/** Aborts a request early: by its caller, or after the timeout without progress. */
interface Line {
  readonly signal: AbortSignal;
  /** Progress: restarts the timeout. */
  touch(): void;
  pause(): void;
  /** Hands the connection over to the reader of the body, who closes it. */
  keep(): void;
  kept(): boolean;
  close(): void;
  wentSilent(): boolean;
}

function openLine(clock: Clock, limitMs: number, caller: AbortSignal | undefined): Line {
  const abort = new AbortController();
  const onCallerAbort = () => abort.abort(caller?.reason);
  caller?.addEventListener('abort', onCallerAbort, { once: true });
  let timer: Timer | null = null;
  let silent = false;
  let kept = false;
  const pause = () => timer?.cancel();
  const touch = () => {
    pause();
    timer = clock.setTimeout(() => {
      silent = true;
      abort.abort();
    }, limitMs);
  };
  touch();
  return {
    signal: abort.signal,
    touch,
    pause,
    keep: () => {
      kept = true;
    },
    kept: () => kept,
    close: () => {
      pause();
      caller?.removeEventListener('abort', onCallerAbort);
    },
    wentSilent: () => silent,
  };
}

/** OpenSSL's codes for a plain-text answer on a TLS connection. */
const NO_TLS = /^(ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)|EPROTO)$/;

/** `fetch` hides the reason in `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (NO_TLS.test(code)) return 'what answers there does not speak TLS; is it an http:// address?';
  return error.message || code || error.name;
}
