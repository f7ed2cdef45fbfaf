// How a host that should move verifies the service at the new address before it sends its credential there: POST
// {site_url}/link/v1/proof. The service knows the SHA-256 of the credential, which no stranger does. It also names its
// own root address, so that a stranger cannot pass the question on to the service and use its answer.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { id, sha256Hex } from './kinds.js';

export const proofRequest = z.object({
  host_id: id(),
  /** 32 random bytes in hex, never used twice. */
  nonce: sha256Hex,
});
export type ProofRequest = z.infer<typeof proofRequest>;

export const proofResponse = z.object({
  /** The root address that the service is configured with. */
  site_url: z.string().max(2000),
  proof: z.string(),
});
export type ProofResponse = z.infer<typeof proofResponse>;

/** @param credentialHash SHA-256 of the host's credential, in hex */
export function serviceProof(credentialHash: string, nonce: string, siteUrl: string): string {
  return createHmac('sha256', Buffer.from(credentialHash, 'hex'))
    .update(`cidermill service proof\n${nonce}\n${siteUrl}`)
    .digest('hex');
}

/** Returns whether the answer is that of a service that knows the credential. */
export function isServiceProof(credential: string, nonce: string, answer: ProofResponse): boolean {
  const hash = createHash('sha256').update(credential).digest('hex');
  const expected = Buffer.from(serviceProof(hash, nonce, answer.site_url));
  const given = Buffer.from(answer.proof);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
