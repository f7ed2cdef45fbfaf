// The test of a webhook: whether its URL is allowed and answers 2xx, and the status that follows for the webhook.

import type { Clock } from '../../../shared/clock.js';
import { deliveryError } from '../../../shared/messages/delivery-errors.js';
import { TEST_EVENT } from '../../builds/domain/event.js';
import { testPayload } from '../../builds/domain/event-payload.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { SigningSecrets } from '../../platform/domain/webhook-signature.js';
import type { PublicFetch } from '../../platform/outbound/public-fetch.js';
import { RECEIVER_RULES } from '../../platform/outbound/public-url.js';
import { bodyFor } from '../domain/chat-message.js';
import { isSuccess } from '../domain/delivery.js';
import type { DisabledReason, WebhookStatus, WebhookTest } from '../domain/webhook.js';
import { postWebhook } from './webhook-post.js';

export interface WebhookTestDeps {
  readonly clock: Clock;
  readonly publicFetch: Pick<PublicFetch, 'post' | 'problem'>;
}

/** Throws invalid_webhook unless webhooks may be sent to the URL. */
export async function requireAllowedUrl(publicFetch: WebhookTestDeps['publicFetch'], url: string): Promise<void> {
  const problem = await publicFetch.problem(url);
  if (problem === null) return;
  throw fieldError('invalid_webhook', 'url', problem, { message: `url: ${problem.text}. ${RECEIVER_RULES}` });
}

/** Sends a signed test. `secrets` is null when they cannot be decrypted: then nothing is sent. */
export async function testWebhook(
  deps: WebhookTestDeps,
  url: string,
  secrets: SigningSecrets | null,
): Promise<WebhookTest> {
  if (secrets === null) return { ok: false, httpStatus: null, error: deliveryError('webhook_secret_unreadable') };
  const eventId = newId('evt');
  const payload = JSON.stringify(testPayload(eventId, deps.clock.now()));
  const post = { url, eventType: TEST_EVENT, eventId, deliveryId: newId('dl'), body: bodyFor(url, payload) };
  const { answer } = await postWebhook(deps, post, secrets);
  if (answer.kind !== 'answered') return { ok: false, httpStatus: null, error: answer.error };
  const ok = isSuccess(answer.status);
  return {
    ok,
    httpStatus: answer.status,
    error: ok ? null : deliveryError('answered', { status: answer.status }),
  };
}

/** The status of a webhook after a test. */
export function statusAfter(test: WebhookTest): {
  test: WebhookTest;
  status: WebhookStatus;
  disabledReason: DisabledReason | null;
} {
  return test.ok
    ? { test, status: 'enabled', disabledReason: null }
    : { test, status: 'disabled', disabledReason: 'test_failed' };
}
