// What the catalog holds of each error code. The compiler refuses a code that lacks a column.
import type { InvalidField } from '../invalid-field.js';

/** Who has to act before the request can succeed. */
export type Fault = 'client' | 'platform' | 'payment' | 'capacity';

export interface ErrorRow {
  /** HTTP status. */
  readonly status: number;
  readonly fault: Fault;
  /** After how many seconds the same request may succeed, where no better time is known; null: it would fail again. */
  readonly retryAfterS: number | null;
  /** Default message, one sentence; the code that throws the error may give a more specific one. */
  readonly message: string;
  /** What a program does next: one or more sentences for the page of the code, with code in backticks. */
  readonly advice: string;
  /** The first that can be completed is sent as `next`, unless the code that throws the error suggests requests itself. */
  readonly next: readonly Suggestion[];
  /** What is particular in the example on the page of the code. */
  readonly example: ErrorExample;
  /** What a person does next, in the console in English; null: the message says it, or there is nothing to do. */
  readonly en: string | null;
  /** In the console in Korean: what happened, and what a person does next. */
  readonly ko: readonly [what: string, next: string | null];
}

/** The client has to act: the same request would fail again. */
export const clientError = (status: number) => ({ status, fault: 'client', retryAfterS: null }) as const;

/**
 * A request to suggest. `{name}` stands for a path parameter of the failed request or for a field of the error; without it
 * the request cannot be completed.
 *
 * - `repeat`: the failed request, if it is a GET
 * - `page`: the page of the code
 * - `path`: a GET below the root of the API; `site`: a GET from the root of the site
 * - `change`: the failed request with these fields in its body
 */
export type Suggestion =
  | 'repeat'
  | 'page'
  | { readonly action: string; readonly path: string }
  | { readonly action: string; readonly site: string }
  | { readonly action: string; readonly change: Readonly<Record<string, unknown>> };

/** A request that can be sent unchanged; `path` starts at the site's root. */
export interface NextRequest {
  action: string;
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

export interface ErrorExample {
  /**
   * Which format the error has: `console` for codes that only the console's API, operators' endpoints and the host link
   * return. Default: api.
   */
  readonly form?: 'api' | 'console';
  /** The failed request. Default: GET /status, for codes that any request can get. */
  readonly request?: FailedRequest;
  /** Additional fields of the error. */
  readonly detail?: Readonly<Record<string, unknown>> & { readonly fields?: readonly InvalidField[] };
  /** Default: that of the row. */
  readonly retryAfterS?: number;
  /** Suggested requests, where the code that throws the error makes them. */
  readonly next?: readonly NextRequest[];
}

export interface FailedRequest {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly params: Readonly<Record<string, string>>;
}
