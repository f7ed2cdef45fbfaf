// One event on its way to one receiver: when it is tried again, and when it is given up.
import type { Limits } from '../../platform/domain/limits.js';

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What was sent and what came back, as it is shown; the answer's body is cut. */
export interface Exchange {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  /** How many attempts there were. */
  readonly attempt: number;
  readonly httpStatus: number | null;
  readonly error: string | null;
  /** Of the last attempt. */
  readonly request: Exchange | null;
  readonly response: Exchange | null;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
  /** Null when none is planned, or one is under way. */
  readonly nextAttemptAt: number | null;
}

/** How an attempt went. */
export type Attempt =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** Not sent: the address may not be called. */
  | { readonly kind: 'forbidden'; readonly error: string }
  | { readonly kind: 'unreachable'; readonly error: string };

export interface Verdict {
  readonly status: DeliveryStatus;
  /** From now, when it is to be tried again. */
  readonly retryInMs: number | null;
  readonly httpStatus: number | null;
  readonly error: string | null;
  /** The receiver wants nothing any more. */
  readonly gone: boolean;
}

/** Between the end of an attempt and the next one. */
export const RETRY_GAPS_MS: readonly number[] = [10_000, 30_000, 120_000, 600_000, 1_800_000];

/** An answer after which the same request may succeed later. */
export const isRetryable = (status: number): boolean => status === 429 || status >= 500;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * @param tries how many attempts there were in this round, with the one that is judged
 * @param now real time: that of the dates that receivers name
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
  const error = attempt.kind === 'answered' ? `answered ${attempt.status}` : attempt.error;
  const gap = RETRY_GAPS_MS[tries - 1];
  const again = httpStatus === null || isRetryable(httpStatus);
  if (!again || gap === undefined) return { ...failed, httpStatus, error, gone: httpStatus === 410 };
  const asked = attempt.kind === 'answered' ? (retryAfterMs(attempt.headers['retry-after'], now) ?? 0) : 0;
  const retryInMs = Math.max(gap, Math.min(asked, limits.webhook_retry_after_ms));
  return { status: 'pending', retryInMs, httpStatus, error, gone: false };
}

/** Seconds or an HTTP date, in ms from now; null when it is neither. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
