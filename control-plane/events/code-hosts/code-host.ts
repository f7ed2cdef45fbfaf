// The port to code hosts with commit statuses. Their addresses come from the operator's configuration, so the guard
// for customers' addresses does not apply.
import { type Clock, timeLimit } from '../../../shared/clock.js';
import { deliveryError } from '../../../shared/messages/delivery-errors.js';
import type { Message } from '../../../shared/messages/message.js';
import type { CommitState } from '../../builds/domain/commit-state.js';
import { askServer } from '../../platform/outbound/configured-server.js';
import { isRetryable, retryAfterMs } from '../domain/delivery.js';

export interface StatusPost {
  /** `owner/name`, longer with nested groups. */
  readonly repository: string;
  readonly commit: string;
  readonly state: CommitState;
  readonly description: string;
  readonly targetUrl: string;
  readonly context: string;
  readonly token: string;
}

export type StatusResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: Message; readonly retry: boolean; readonly retryAfterMs: number };

export interface CodeHostStatuses {
  /** Names of secrets that may hold the token; the first that is set is used. */
  readonly secretNames: readonly string[];
  post(status: StatusPost): Promise<StatusResult>;
}

export interface CodeHostOptions {
  /** Root URL of the API, without a trailing slash. */
  readonly url: string;
  readonly timeoutMs: number;
  /** Real time, for dates in response headers. */
  readonly clock: Pick<Clock, 'now'>;
}

export interface CodeHostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The `message` of the response body, or ''. */
  readonly message: string;
}

const LONGEST_ANSWER = 64 * 1024;
const LONGEST_MESSAGE = 300;

/** Sent for a repository that was renamed or moved. */
const REDIRECTS = new Set([301, 302, 307, 308]);
const REDIRECTS_FOLLOWED = 2;

/**
 * Sends JSON; rejects when there is no answer in time. Follows redirects only to the same origin, so that the token
 * is never sent elsewhere.
 */
export async function postJson(
  url: string,
  headers: Record<string, string>,
  body: object,
  timeoutMs: number,
): Promise<CodeHostAnswer> {
  const signal = timeLimit(timeoutMs);
  let at = new URL(url);
  for (let followed = 0; ; followed++) {
    const answer = await postOnce(at, headers, body, signal);
    const to = REDIRECTS.has(answer.status) ? locationOf(answer, at) : null;
    if (to?.origin !== at.origin || followed === REDIRECTS_FOLLOWED) return answer;
    at = to;
  }
}

function locationOf({ headers: { location } }: CodeHostAnswer, base: URL): URL | null {
  return typeof location === 'string' && URL.canParse(location, base.href) ? new URL(location, base) : null;
}

async function postOnce(
  url: URL,
  headers: Record<string, string>,
  body: object,
  signal: AbortSignal,
): Promise<CodeHostAnswer> {
  const answer = await askServer(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
    longestAnswer: LONGEST_ANSWER,
  });
  return { status: answer.status, headers: answer.headers, message: messageOf(answer.text) };
}

/** Classifies an answer that is not a success: error text, and whether and when to retry. */
export function refusal(name: string, answer: CodeHostAnswer, now: number, limited = false): StatusResult {
  const { status, headers, message } = answer;
  const retryAfter = headers['retry-after'];
  return {
    ok: false,
    error:
      message === ''
        ? deliveryError('code_host_answered', { name, status })
        : deliveryError('code_host_refused', { name, status, reason: message }),
    retry: limited || isRetryable(status),
    retryAfterMs: (typeof retryAfter === 'string' ? retryAfterMs(retryAfter, now) : null) ?? 0,
  };
}

export function noAnswer(name: string, error: unknown): StatusResult {
  const reason =
    error instanceof Error && 'code' in error
      ? deliveryError('code_host_not_reached', { name, reason: String(error.code) })
      : deliveryError('code_host_late', { name });
  return { ok: false, error: reason, retry: true, retryAfterMs: 0 };
}

function messageOf(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || !('message' in parsed)) return '';
    const { message } = parsed;
    return (typeof message === 'string' ? message : JSON.stringify(message)).slice(0, LONGEST_MESSAGE);
  } catch {
    // An HTML page of a proxy, for instance; the status is enough.
    return '';
  }
}
