// For receivers of webhooks: is this request from the service, and is it fresh? WebCrypto only, so it runs wherever
// receivers do.
import { systemClock } from '../shared/clock.js';
import type { WebhookEvent } from './types.js';

/** The request is not authentic; `reason` says why, for the receiver's log. */
export class WebhookVerificationError extends Error {
  readonly reason: 'missing_secret' | 'missing_header' | 'stale' | 'wrong_signature' | 'not_an_event';
  constructor(reason: WebhookVerificationError['reason'], message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.reason = reason;
  }
}

/** Headers as servers provide them: Fetch's Headers, or Node's object with lower-case names. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Largest difference between the sender's clock and this one, in seconds (default 300). */
  toleranceS?: number;
  /** Ms since the epoch; default: now. */
  now?: number;
}

/**
 * Verifies signature (in constant time) and age of a webhook and returns its event. While a secret is being rotated
 * both the old and the new one are accepted, because the service signs with both.
 *
 * Process each `event_id` once: a delivery that was answered late may be repeated.
 *
 * @param rawBody the bytes as received, before any parsing
 * @param secret `whsec_…`, as it was shown at registration
 * @throws WebhookVerificationError
 * @example
 * const event = await verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET);
 * if (event.event_type === 'build.failed') console.log(event.build?.failure?.summary);
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  // Anybody can sign with an empty key: an unset variable must not accept everything.
  if (typeof secret !== 'string' || secret.trim() === '') {
    throw new WebhookVerificationError('missing_secret', 'the secret is empty: give the whsec_… of the webhook');
  }
  const timestamp = headerOf(headers, 'x-svc-timestamp') ?? '';
  const signatures = ['x-svc-signature', 'x-svc-signature-previous']
    .map((name) => headerOf(headers, name))
    .filter((value) => value !== null);
  if (!/^\d{1,12}$/.test(timestamp) || signatures.length === 0) {
    throw new WebhookVerificationError('missing_header', 'x-svc-timestamp or x-svc-signature is missing');
  }
  const { toleranceS = 300, now = systemClock.now() } = options;
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceS) {
    throw new WebhookVerificationError('stale', `the timestamp is more than ${toleranceS} seconds off`);
  }
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  if (!(await isSigned(signatures, timestamp, body, secret))) {
    throw new WebhookVerificationError('wrong_signature', 'the signature does not match');
  }
  return parse(body);
}

async function isSigned(
  signatures: readonly string[],
  timestamp: string,
  body: Uint8Array,
  secret: string,
): Promise<boolean> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify']);
  const prefix = encoder.encode(`${timestamp}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  const checks = signatures.map(async (text) => {
    const hex = /^sha256=([0-9a-f]{64})$/.exec(text)?.[1];
    return hex !== undefined && (await crypto.subtle.verify('HMAC', key, bytesOf(hex), signed));
  });
  return (await Promise.all(checks)).includes(true);
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16);
  return bytes;
}

/** A repeated header counts as missing. */
function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return headers.get(name);
  const entries = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  const [value] = entries.map(([, text]) => text);
  return entries.length === 1 && typeof value === 'string' ? value : null;
}

/** The signature proves that the service wrote it, so its shape is not checked. */
function parse(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('not_an_event', 'the body is not JSON');
  }
}
