// Reports of GitHub's secret scanning: a list of matches, signed over the bytes of the body.
import { createVerify } from 'node:crypto';
import { z } from 'zod';

export const leakReport = z.array(
  z.object({ token: z.string(), type: z.string().optional(), url: z.string().optional() }),
);

/**
 * Verifies `signature` (base64 of a DER-encoded ECDSA signature) of `body`.
 *
 * @param pem a P-256 public key
 */
export function isSignedReport(pem: string, signature: string, body: Buffer): boolean {
  try {
    return createVerify('SHA256').update(body).verify(pem, signature, 'base64');
  } catch {
    // An invalid key or signature.
    return false;
  }
}
