// One signed POST to a receiver.
import type { Clock } from '../../../shared/clock.js';
import { packageVersion } from '../../../shared/package-version.js';
import type { Stop } from '../../../shared/stop.js';
import { type SigningSecrets, signedHeaders } from '../../platform/domain/webhook-signature.js';
import type { PublicAnswer, PublicFetch } from '../../platform/outbound/public-fetch.js';
import type { Exchange } from '../domain/delivery.js';

export interface PostDeps {
  readonly clock: Clock;
  readonly publicFetch: Pick<PublicFetch, 'post'>;
}

export interface WebhookPost {
  readonly url: string;
  readonly eventType: string;
  readonly eventId: string;
  readonly deliveryId: string;
  /** See `bodyFor`. */
  readonly body: string;
}

export interface Posted {
  readonly url: string;
  readonly answer: PublicAnswer;
  /** Null when nothing was sent. */
  readonly request: Exchange | null;
  /** Null when there was no response. */
  readonly response: Exchange | null;
}

/** @param stop aborts the request; the answer is then `unreachable`, unless it has already arrived */
export async function postWebhook(
  { clock, publicFetch }: PostDeps,
  post: WebhookPost,
  secrets: SigningSecrets,
  stop?: Stop,
): Promise<Posted> {
  const { body } = post;
  const headers = {
    'content-type': 'application/json',
    'user-agent': `Cidermill-Webhooks/${packageVersion()}`,
    ...signedHeaders(post, secrets, clock.now()),
  };
  const answer = await publicFetch.post({ url: post.url, headers, body, ...(stop ? { stop } : {}) });
  return {
    answer,
    url: post.url,
    request: answer.kind === 'forbidden' ? null : { headers, body },
    response: answer.kind === 'answered' ? { headers: answer.headers, body: answer.body.toString('utf8') } : null,
  };
}
