// The one place that sends requests to the service, as the signed-in person.
import { Failure, failureOf } from './failure.js';
import { type Query, queryText } from './query-text.js';

export const CONSOLE_ROOT = '/api/runner';
export const OPERATOR_ROOT = '/api/operator';

/** Whether nobody is at the page; set once at the start. */
let isUnattended = () => false;
export function whenUnattended(ask: () => boolean): void {
  isUnattended = ask;
}

export interface RequestOptions {
  readonly body?: unknown;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Called when the session has ended; set once at the start. */
let onSessionEnd: () => void = () => undefined;
export function whenSessionEnds(call: () => void): void {
  onSessionEnd = call;
}

/**
 * Sends a request below `/api/runner`, or below `/api/operator` with `operatorRequest`. `T` is the response type of
 * the API reference (`client/types.ts`).
 *
 * @throws Failure
 * @example const session = await request<Session>('GET', '/v1/session')
 */
export const request = <T>(method: string, path: string, options?: RequestOptions): Promise<T> =>
  send<T>(CONSOLE_ROOT, method, path, options);

export const operatorRequest = <T>(method: string, path: string, options?: RequestOptions): Promise<T> =>
  send<T>(OPERATOR_ROOT, method, path, options);

async function send<T>(
  root: string,
  method: string,
  path: string,
  { body, query, headers, signal }: RequestOptions = {},
): Promise<T> {
  const response = await fetch(root + path + queryText(path, query), {
    method,
    headers: {
      'service-error-format': '2',
      // Such a request does not count as a use of the session.
      ...(isUnattended() ? { 'service-unattended': '1' } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
    credentials: 'same-origin',
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    // The browser does not report the cause.
    throw new Failure({
      status: null,
      code: 'unreachable',
      message: 'The service cannot be reached.',
      retryable: true,
    });
  });
  const text = await response.text();
  if (response.ok) {
    const json = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return (text === '' ? null : json ? JSON.parse(text) : text) as T;
  }
  const failure = failureOf(response.status, parsed(text), response.headers.get('retry-after'));
  if (failure.code === 'session_required') onSessionEnd();
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
