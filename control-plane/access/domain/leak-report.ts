// What GitHub's secret scanning sends: a list of matches, signed over the bytes of the body.
import { createVerify } from 'node:crypto';
import { z } from 'zod';

export const leakReport = z.array(
  z.object({ token: z.string(), type: z.string().optional(), url: z.string().optional() }),
);

/**
 * Whether `signature` (base64 of a DER-encoded ECDSA signature) is one of `body` under the key.
 *
 * @param pem a P-256 public key
 */
export function isSignedReport(pem: string, signature: string, body: Buffer): boolean {
  try {
    return createVerify('SHA256').update(body).verify(pem, signature, 'base64');
  } catch {
    // Not a key, or not a signature: whatever it is, it has not signed this.
    return false;
  }
}
