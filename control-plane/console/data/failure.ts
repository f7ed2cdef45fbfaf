// The error of a failed request.
import type { NextRequest } from '../../../client/types.js';

export interface FailureInit {
  readonly status: number | null;
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Seconds. */
  readonly retryAfter?: number | null;
  readonly retryable?: boolean;
  readonly requestId?: string | null;
  readonly next?: readonly NextRequest[];
}

/** Thrown by `request`. */
export class Failure extends Error {
  /** Of the response; null when there was none. */
  readonly status: number | null;
  readonly code: string;
  /** All other fields of the error. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfter: number | null;
  readonly retryable: boolean;
  readonly requestId: string | null;
  readonly next: readonly NextRequest[];

  constructor(init: FailureInit) {
    super(init.message);
    this.name = 'Failure';
    this.status = init.status;
    this.code = init.code;
    this.details = init.details ?? {};
    this.retryAfter = init.retryAfter ?? null;
    this.retryable = init.retryable ?? false;
    this.requestId = init.requestId ?? null;
    this.next = init.next ?? [];
  }

  /** Names of the fields that were refused. */
  get fields(): readonly string[] {
    const { fields } = this.details;
    if (!Array.isArray(fields)) return [];
    return fields.map((field: unknown) =>
      typeof field === 'object' && field !== null && 'path' in field ? String(field.path) : String(field),
    );
  }
}

/** The browser does not report the cause. */
export const unreachable = (): Failure =>
  new Failure({ status: null, code: 'unreachable', message: 'The service cannot be reached.', retryable: true });

/** Returns the message for a field if the failure is about it. */
export function fieldProblem(error: unknown, field: string): string | undefined {
  if (!(error instanceof Failure) || !error.fields.includes(field)) return undefined;
  const { fields } = error.details;
  const own = Array.isArray(fields)
    ? fields.find((each: unknown) => isObject(each) && each.path === field && typeof each.message === 'string')
    : undefined;
  return isObject(own) ? String(own.message) : error.message;
}

/** Returns how many characters a password must have, if the failure is about one that is too short. */
export function shortestPassword(error: unknown): number | null {
  const least = error instanceof Failure ? error.details.password_chars_min : null;
  return typeof least === 'number' ? least : null;
}

/**
 * Reads the error of a response of either API, or of a proxy in between.
 *
 * @param retryAfter the header's value
 */
export function failureOf(status: number, body: unknown, retryAfter: string | null): Failure {
  const content = isObject(body) && isObject(body.error) ? body.error : {};
  const { code, message, retryable, retry_after_s, request_id, next, details, ...rest } = content;
  const seconds = Number(retry_after_s ?? retryAfter ?? Number.NaN);
  return new Failure({
    status,
    code: typeof code === 'string' ? code : 'unexpected_response',
    message: typeof message === 'string' ? message : `HTTP ${status}`,
    retryable: retryable === true,
    retryAfter: Number.isFinite(seconds) ? seconds : null,
    requestId: typeof request_id === 'string' ? request_id : null,
    next: Array.isArray(next) ? (next as NextRequest[]) : [],
    details: { ...rest, ...(isObject(details) ? details : {}) },
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
