// Signs outgoing webhooks: HMAC-SHA256 over `<timestamp>.<body>`. The key is the complete text of the secret,
// including `whsec_`.
import { createHmac, randomBytes } from 'node:crypto';

/** Returns a new secret with 256 random bits. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`;

/** @param timestamp seconds since the epoch */
export function signatureOf(secret: string, timestamp: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

export interface SigningSecrets {
  readonly current: string;
  /** Previous secret, while receivers may still verify with it. */
  readonly previous: string | null;
}

/** Returns the headers of one delivery attempt. Each attempt is signed with its own timestamp. */
export function signedHeaders(
  what: { eventType: string; eventId: string; deliveryId: string; body: string },
  secrets: SigningSecrets,
  now: number,
): Record<string, string> {
  const timestamp = Math.floor(now / 1000);
  return {
    'x-svc-event': what.eventType,
    'x-svc-event-id': what.eventId,
    'x-svc-delivery': what.deliveryId,
    'x-svc-timestamp': String(timestamp),
    'x-svc-signature': signatureOf(secrets.current, timestamp, what.body),
    ...(secrets.previous === null
      ? {}
      : { 'x-svc-signature-previous': signatureOf(secrets.previous, timestamp, what.body) }),
  };
}
