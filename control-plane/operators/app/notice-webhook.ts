// Sends notices to the operator's webhook: signed and retried as customers' webhooks are.
import type { Clock } from '../../../shared/clock.js';
import { deliveryError } from '../../../shared/messages/delivery-errors.js';
import { postWebhook } from '../../events/app/webhook-post.js';
import { chatBody } from '../../events/domain/chat-message.js';
import { judge } from '../../events/domain/delivery.js';
import type { Core } from '../../platform/app/core.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { PublicFetch } from '../../platform/outbound/public-fetch.js';
import { chatLinesOf, type Notice, payloadOf } from '../domain/notice.js';
import { dueWebhooks, nextWebhookAt, recordAttempt } from '../store/notices.js';

export interface NoticeWebhookDeps extends Pick<Core, 'store' | 'clock'> {
  /** For dates in `Retry-After`. */
  readonly realClock: Clock;
  readonly limits: Pick<Limits, 'webhook_retry_after_ms'>;
  readonly siteUrl: string;
  /** May reach private addresses, unlike the one for customers. */
  readonly fetch: Pick<PublicFetch, 'post'>;
  readonly webhook: { readonly url: string; readonly secret: string } | null;
}

const BATCH = 20;

/**
 * Sends what is due; after an attempt that fails, the rest has to wait for the next call.
 *
 * @returns when the next attempt is due; null: none is
 */
export async function sendDueNotices(deps: NoticeWebhookDeps): Promise<number | null> {
  const { store, clock } = deps;
  for (const notice of await dueWebhooks(store, clock.now(), BATCH)) {
    if (!(await attempt(deps, notice))) break;
  }
  return nextWebhookAt(store);
}

async function attempt(deps: NoticeWebhookDeps, notice: Notice): Promise<boolean> {
  const { store, clock, realClock, webhook, limits } = deps;
  if (webhook === null) {
    // It was configured when the notice was announced.
    const error = deliveryError('no_webhook');
    const result = {
      webhook: 'failed',
      dueAt: null,
      httpStatus: null,
      error: error.text,
      errorMessage: error,
    } as const;
    await store.transaction((tx) => recordAttempt(tx, notice, result));
    return true;
  }
  const { url, secret } = webhook;
  const post = {
    url,
    eventType: notice.kind,
    eventId: notice.noticeId,
    deliveryId: notice.noticeId,
    body: chatBody(url, chatLinesOf(notice), null) ?? payloadOf(notice),
  };
  await store.durable();
  const { answer } = await postWebhook({ clock, publicFetch: deps.fetch }, post, {
    current: secret,
    previous: null,
  });
  const verdict = judge(answer, notice.attempts + 1, realClock.now(), limits);
  await store.transaction((tx) =>
    recordAttempt(tx, notice, {
      webhook: verdict.status,
      httpStatus: verdict.httpStatus,
      error: verdict.error?.text ?? null,
      errorMessage: verdict.error,
      dueAt: verdict.retryInMs === null ? null : clock.now() + verdict.retryInMs,
    }),
  );
  return verdict.status === 'delivered';
}
