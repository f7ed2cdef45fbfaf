// The one place that sends requests to the service, as the signed-in person.
import {
  type Method,
  type OperationRequest,
  requestOf,
  type SessionOperation,
} from '../../../client/operations/operation.js';
import { Failure, failureOf, unreachable } from './failure.js';
import { queryText } from './query-text.js';

const roots = { console: '/api/runner', operator: '/api/operator' };

/** A request, ready to be sent. `T` is what it answers. */
export interface Call<T> extends Omit<OperationRequest, 'query'> {
  /** The path with its query, below the site. */
  readonly address: string;
  /** Never set: it only carries the type. */
  readonly answer?: T;
}

/**
 * Returns the request of an operation, which `client/operations` has from the routes: its path parameters, then its body
 * and query. Operations of the API for programs are first put into an organization (`inPlace`) or below a link.
 *
 * @example await send(call(listSessions))
 */
export function call<M extends Method>(
  operation: SessionOperation<M>,
  ...args: Parameters<M>
): Call<Awaited<ReturnType<M>>> {
  const { query, ...request } = requestOf(operation, args).request;
  return { ...request, address: roots[operation.api] + request.path + queryText(request.path, query) };
}

/** Whether nobody is at the page; set once on startup. */
let isUnattended = () => false;
export function whenUnattended(ask: () => boolean): void {
  isUnattended = ask;
}

/** Aborts the reads that are under way now. */
let cut = new AbortController();

/**
 * Ends all reads that are under way as if the service could not be reached, so that they are repeated: on a connection
 * that has died without an error they would wait forever. Requests that change something go on, because they may have
 * arrived.
 */
export function cutRequests(): void {
  cut.abort();
  cut = new AbortController();
}

/** Reads of a page wait until its live stream is open; set once on startup. */
let followed: () => Promise<void> = () => Promise.resolve();
export function whenFollowed(wait: () => Promise<void>): void {
  followed = wait;
}

/** Failures that lead to a question or another page, and are not shown. */
const ASKS: ReadonlySet<string> = new Set(['session_required', 'confirmation_required']);

/** Loads what is needed to show a failure; set once on startup. */
let beforeFailure: () => Promise<void> = () => Promise.resolve();
export function whenFailed(load: () => Promise<void>): void {
  beforeFailure = load;
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Asks the person what a refused request needs, and resolves with whether to send it again; set once at the start. */
let onRefusal: (failure: Failure, method: string) => Promise<boolean> = () => Promise.resolve(false);
export function whenRefused(ask: (failure: Failure, method: string) => Promise<boolean>): void {
  onRefusal = ask;
}

/**
 * Sends a request and returns its answer; null if that is empty. If it is refused because the person has to sign in again or
 * to confirm who they are, they are asked over the page, and it is sent again.
 *
 * @throws Failure
 * @example const session = await send(call(getSession))
 */
export async function send<T>(request: Call<T>, options: SendOptions = {}): Promise<T> {
  try {
    return await sendOnce(request, options);
  } catch (error) {
    if (!(error instanceof Failure) || !(await onRefusal(error, request.method))) throw error;
    return send(request, options);
  }
}

/**
 * Sends a request without asking the person anything.
 *
 * @throws Failure
 */
export async function sendOnce<T>(
  { method, address, body }: Call<T>,
  { headers, signal }: SendOptions = {},
): Promise<T> {
  if (method === 'GET') await followed();
  const ends = [...(signal ? [signal] : []), ...(method === 'GET' ? [cut.signal] : [])];
  const { response, text } = await fetch(address, {
    method,
    headers: {
      'service-error-format': '2',
      // Such a request does not count as a use of the session.
      ...(isUnattended() ? { 'service-unattended': '1' } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(ends.length > 0 ? { signal: AbortSignal.any(ends) } : {}),
    credentials: 'same-origin',
  })
    .then(async (answer) => ({ response: answer, text: await answer.text() }))
    .catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw unreachable();
    });
  if (response.ok) {
    const json = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return (text === '' ? null : json ? JSON.parse(text) : text) as T;
  }
  const failure = failureOf(response.status, parsed(text), response.headers.get('retry-after'));
  if (!ASKS.has(failure.code)) await beforeFailure();
  throw failure;
}

/** Returns undefined for text that is not JSON: a proxy may have answered instead of the service. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
