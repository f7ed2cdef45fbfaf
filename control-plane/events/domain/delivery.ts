// A delivery of one event to one receiver: when it is retried and when it is given up.
import { deliveryError } from '../../../shared/messages/delivery-errors.js';
import type { Message } from '../../../shared/messages/message.js';
import type { Limits } from '../../platform/domain/limits.js';

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Request or response of an attempt, as shown; the response body is truncated. */
export interface Exchange {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  /** Number of attempts made. */
  readonly attempt: number;
  readonly httpStatus: number | null;
  readonly error: Message | null;
  /** Of the last attempt. */
  readonly request: Exchange | null;
  readonly response: Exchange | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
  /** Null when none is scheduled, or one is in flight. */
  readonly nextAttemptAt: number | null;
}

/** Outcome of an attempt. */
export type Attempt =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** Not sent: requests to the address are not allowed. */
  | { readonly kind: 'forbidden'; readonly error: Message }
  | { readonly kind: 'unreachable'; readonly error: Message };

export interface Verdict {
  readonly status: DeliveryStatus;
  /** Delay before the next attempt, in ms; null: no retry. */
  readonly retryInMs: number | null;
  readonly httpStatus: number | null;
  readonly error: Message | null;
  /** Answered 410: the receiver wants no more events. */
  readonly gone: boolean;
}

/** Delays between the end of an attempt and the next one. */
export const RETRY_GAPS_MS: readonly number[] = [10_000, 30_000, 120_000, 600_000, 1_800_000];

/** Whether the same request may succeed later. */
export const isRetryable = (status: number): boolean => status === 429 || status >= 500;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * @param tries attempts in this round, including the one that is judged
 * @param now real time, for dates in `Retry-After`
 */
export function judge(
  attempt: Attempt,
  tries: number,
  now: number,
  limits: Pick<Limits, 'webhook_retry_after_ms'>,
): Verdict {
  const failed = { status: 'failed', retryInMs: null, gone: false } as const;
  if (attempt.kind === 'forbidden') return { ...failed, httpStatus: null, error: attempt.error };
  const httpStatus = attempt.kind === 'answered' ? attempt.status : null;
  if (httpStatus !== null && isSuccess(httpStatus)) {
    return { ...failed, status: 'delivered', httpStatus, error: null };
  }
  const error = attempt.kind === 'answered' ? deliveryError('answered', { status: attempt.status }) : attempt.error;
  const gap = RETRY_GAPS_MS[tries - 1];
  const again = httpStatus === null || isRetryable(httpStatus);
  if (!again || gap === undefined) return { ...failed, httpStatus, error, gone: httpStatus === 410 };
  const asked = attempt.kind === 'answered' ? (retryAfterMs(attempt.headers['retry-after'], now) ?? 0) : 0;
  const retryInMs = Math.max(gap, Math.min(asked, limits.webhook_retry_after_ms));
  return { status: 'pending', retryInMs, httpStatus, error, gone: false };
}

/** Parses seconds or an HTTP date to ms from now; null when it is neither. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
