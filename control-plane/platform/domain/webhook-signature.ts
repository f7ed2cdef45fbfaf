// The signature of an outgoing webhook: HMAC-SHA256 over `<timestamp>.<body>`. The key is the secret's whole text,
// `whsec_` included.
import { createHmac, randomBytes } from 'node:crypto';

/** 256 random bits. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`;

/** @param timestamp seconds since the epoch */
export function signatureOf(secret: string, timestamp: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

export interface SigningSecrets {
  readonly current: string;
  /** The one before, while receivers may still be checking with it. */
  readonly previous: string | null;
}

/** The headers of one attempt; each attempt is signed afresh, with its own time. */
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
