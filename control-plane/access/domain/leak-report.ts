// Reports of GitHub's secret scanning: a list of matches, signed over the bytes of the body.
import { createVerify } from 'node:crypto';
import { z } from 'zod';
import { type NoticeMessage, organizationNotice } from '../../../shared/messages/notice.js';
import type { ApiKey } from './api-key.js';

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

/**
 * The notice about a key that was found in public.
 *
 * @param url where it was found; null: the report does not say
 */
export function keyLeaked({ name, prefix }: Pick<ApiKey, 'name' | 'prefix'>, url: string | null): NoticeMessage {
  return url === null
    ? organizationNotice('key_leaked_somewhere', { name, prefix })
    : organizationNotice('key_leaked', { name, prefix, url });
}
