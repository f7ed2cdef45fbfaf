// Signatures of incoming webhooks by the Standard Webhooks convention: HMAC-SHA256 over `id.timestamp.body`.
import { createHmac, timingSafeEqual } from 'node:crypto';

export const webhookHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
export type WebhookHeader = (typeof webhookHeaders)[number];

const TOLERANCE_S = 5 * 60;

/** Decodes a secret as providers show it: base64, often after `whsec_`. Null when it is not one. */
export function webhookKey(secret: string): Buffer | null {
  const base64 = secret.replace(/^whsec_/, '');
  if (!/^[A-Za-z0-9+/]{16,}={0,2}$/.test(base64)) return null;
  return Buffer.from(base64, 'base64');
}

/**
 * Returns the header that is wrong, or null when the body was signed with one of the keys within five minutes of
 * `now`.
 *
 * @param headers as node provides them: duplicates arrive joined with a comma and are refused
 * @param now ms since the epoch
 */
export function webhookProblem(
  keys: readonly Buffer[],
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: Buffer,
  now: number,
): WebhookHeader | null {
  const text = (name: WebhookHeader) => {
    const value = headers[name];
    return typeof value === 'string' ? value : '';
  };
  const id = text('webhook-id');
  if (!/^[\x21-\x2b\x2d-\x7e]{1,256}$/.test(id)) return 'webhook-id';
  const timestamp = text('webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Math.floor(now / 1000) - Number(timestamp)) > TOLERANCE_S) {
    return 'webhook-timestamp';
  }
  const signatures = text('webhook-signature').split(' ');
  if (signatures.length > 16 || !signatures.every((entry) => /^v\d\w?,[\w+/=-]{1,512}$/.test(entry))) {
    return 'webhook-signature';
  }
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const expected = keys.map((key) => createHmac('sha256', key).update(signed).digest());
  const matches = signatures.some((entry) => {
    if (!entry.startsWith('v1,')) return false;
    const given = Buffer.from(entry.slice('v1,'.length), 'base64');
    return expected.some((digest) => given.length === digest.length && timingSafeEqual(given, digest));
  });
  return matches ? null : 'webhook-signature';
}
