import type { Level } from '../domain/caller.js';
import type { ApiError } from '../domain/error-catalog.js';

/** What an envelope may say about the request that failed. */
export interface ErrorContext {
  readonly requestId: string;
  readonly siteUrl: string;
  readonly method: string;
  /** Path and query as sent, from the site's root. */
  readonly url: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The JSON that was sent; undefined when there was none, or it was not read. */
  readonly body: unknown;
  /** Null: not known who asks. */
  readonly levels: readonly Level[] | null;
}

/** The body of an answer to a request that failed. */
export type Envelope = (error: ApiError, context: ErrorContext) => unknown;
