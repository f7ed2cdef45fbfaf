// The error of a failed request.
import type { NextRequest } from '../../../client/types.js';
import { isObject } from '../../../shared/is-object.js';
import type { Message } from '../../../shared/messages/message.js';

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

/** A problem of a field. */
export interface FieldFailure extends Message {
  /** Names and positions in the body: `levels.0`. */
  readonly path: string;
}

/** Why a change of an operator is refused. */
export interface RefusalFailure extends Message {
  /** In a change of several: the one that cannot change. */
  readonly subject: string | null;
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

  /** What is wrong with fields of the request. */
  get problems(): readonly FieldFailure[] {
    const { problems, fields } = this.details;
    const sent = Array.isArray(problems) ? problems : Array.isArray(fields) ? fields : [];
    return sent.flatMap((each: unknown) => (isObject(each) ? [{ path: String(each.path), ...messageIn(each) }] : []));
  }

  get refusals(): readonly RefusalFailure[] {
    const { refusals } = this.details;
    return (Array.isArray(refusals) ? refusals : []).flatMap((each: unknown) =>
      isObject(each) ? [{ subject: typeof each.subject === 'string' ? each.subject : null, ...messageIn(each) }] : [],
    );
  }
}

/** The browser does not report the cause. */
export const unreachable = (): Failure =>
  new Failure({ status: null, code: 'unreachable', message: 'The service cannot be reached.', retryable: true });

/** Returns what an error says about fields. */
export const problemsIn = (error: unknown): readonly FieldFailure[] => (error instanceof Failure ? error.problems : []);

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

function messageIn({ code, params, text, message }: Record<string, unknown>): Message {
  return {
    code: typeof code === 'string' ? code : null,
    params: isObject(params) ? (params as Message['params']) : {},
    text: String(text ?? message ?? ''),
  };
}

/** Returns the code of a failed request, or null for any other error. */
export const codeOf = (error: unknown) => (error instanceof Failure ? error.code : null);
