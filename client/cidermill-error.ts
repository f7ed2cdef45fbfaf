// The client's error, made from the answers of both APIs.
import { isObject } from '../shared/is-object.js';
import type { BuildFailure, ErrorFault, NextRequest } from './types.js';

/** Code of an error without a response: the service is unreachable or does not answer. */
export const UNREACHABLE = 'unreachable';
/** Code of a response that is not the service's (a proxy's page, a broken body). */
export const BAD_RESPONSE = 'bad_response';

/** What an error carries; see {@link CidermillError}. */
export interface ErrorParts {
  code: string;
  message: string;
  status: number;
  retryable: boolean;
  retryAfterS?: number | null;
  fault?: ErrorFault | null;
  failure?: BuildFailure | null;
  docs?: string | null;
  requestId?: string | null;
  next?: NextRequest[];
  detail?: Record<string, unknown>;
}

/**
 * A request that failed.
 *
 * @example
 * try {
 *   await client.builds.create({ script: 'make test', upload_id });
 * } catch (error) {
 *   if (error instanceof CidermillError && error.code === 'upload_incomplete') await sendTheRest();
 *   else throw error;
 * }
 */
export class CidermillError extends Error {
  override readonly name = 'CidermillError';
  /** A code of the service's catalog, or {@link UNREACHABLE} or {@link BAD_RESPONSE}. */
  readonly code: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** True if the same request can succeed later. */
  readonly retryable: boolean;
  readonly retryAfterS: number | null;
  readonly fault: ErrorFault | null;
  /** Why a build failed, if the error is about one. */
  readonly failure: BuildFailure | null;
  readonly docs: string | null;
  readonly requestId: string | null;
  readonly next: NextRequest[];
  /** The complete error object as sent, with the fields of its code (`job_id`, `options`, `fields`, …). */
  readonly detail: Record<string, unknown>;

  constructor(content: ErrorParts, options?: ErrorOptions) {
    super(content.message, options);
    this.code = content.code;
    this.status = content.status;
    this.retryable = content.retryable;
    this.retryAfterS = content.retryAfterS ?? null;
    this.fault = content.fault ?? null;
    this.failure = content.failure ?? null;
    this.docs = content.docs ?? null;
    this.requestId = content.requestId ?? null;
    this.next = content.next ?? [];
    this.detail = content.detail ?? {};
  }

  /** The error's fields as plain data, in the service's own spelling. */
  toJSON(): Record<string, unknown> {
    return {
      ...this.detail,
      code: this.code,
      message: this.message,
      status: this.status,
      retryable: this.retryable,
      retry_after_s: this.retryAfterS,
      fault: this.fault,
      docs: this.docs,
      request_id: this.requestId,
      next: this.next,
    };
  }
}

/** The error for a request without a complete response. */
export function unreachable(message: string, cause?: unknown): CidermillError {
  return new CidermillError({ code: UNREACHABLE, message, status: 0, retryable: true }, { cause });
}

/**
 * Reads an answer of 400 or above.
 *
 * Understands the envelope of the API in both forms, that of the console's API, and the answers of proxies;
 * the latter is retryable when its status says so (408, 429, 502, 503, 504).
 *
 * @param now milliseconds since the epoch, for a Retry-After that is a date
 */
export function errorFromResponse(
  response: { status: number; headers: { get(name: string): string | null } },
  body: string,
  now: number,
): CidermillError {
  const { status } = response;
  const detail = errorObject(body);
  const retryAfterS = number(detail?.retry_after_s) ?? retryAfterHeader(response.headers, now);
  const requestId = text(detail?.request_id) ?? response.headers.get('x-request-id');
  const code = text(detail?.code);
  if (!detail || code === null) {
    const retryable = [408, 429, 502, 503, 504].includes(status);
    return new CidermillError({
      code: BAD_RESPONSE,
      message: `unexpected answer with status ${status}`,
      status,
      retryable,
      retryAfterS,
      requestId,
    });
  }
  return new CidermillError({
    code,
    message: text(detail.message) ?? code,
    status,
    retryable: detail.retryable === true,
    retryAfterS,
    fault: isFault(detail.fault) ? detail.fault : null,
    failure: isObject(detail.failure) ? (detail.failure as unknown as BuildFailure) : null,
    docs: text(detail.docs),
    requestId,
    next: Array.isArray(detail.next) ? detail.next.filter(isNextRequest) : [],
    detail,
  });
}

function errorObject(body: string): Record<string, unknown> | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return null; // Not JSON: a proxy's page; the caller reports the status instead.
  }
  if (!isObject(parsed)) return null;
  if (isObject(parsed.error)) return parsed.error;
  if (typeof parsed.error !== 'string') return null;
  return { ...(isObject(parsed.error_detail) ? parsed.error_detail : {}), code: parsed.error };
}

function retryAfterHeader(headers: { get(name: string): string | null }, now: number): number | null {
  const value = headers.get('retry-after');
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1000);
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
const isFault = (value: unknown): value is ErrorFault =>
  value === 'client' || value === 'platform' || value === 'payment' || value === 'capacity';
const isNextRequest = (value: unknown): value is NextRequest =>
  isObject(value) &&
  typeof value.action === 'string' &&
  typeof value.method === 'string' &&
  typeof value.path === 'string';
