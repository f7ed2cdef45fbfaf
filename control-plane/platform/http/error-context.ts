import type { Level } from '../domain/caller.js';
import type { ApiError } from '../domain/error-catalog.js';

/** What an error body may contain about the failed request. */
export interface ErrorContext {
  readonly requestId: string;
  readonly siteUrl: string;
  readonly method: string;
  /** Path and query as sent, from the root of the site. */
  readonly url: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The JSON body; undefined if there was none or it was not read. */
  readonly body: unknown;
  /** Levels of the caller; null if the request is not authenticated. */
  readonly levels: readonly Level[] | null;
}

/** Returns the response body for a failed request. */
export type Envelope = (error: ApiError, context: ErrorContext) => unknown;
