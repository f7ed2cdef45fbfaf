import { hash, timingSafeEqual } from 'node:crypto';
import { bearerToken } from './bearer.js';

/** Is it `Bearer <operator token>`? Never when the service has no operator token. */
export function isOperator(authorization: string | undefined, operatorToken: string | null): boolean {
  const token = bearerToken(authorization);
  if (operatorToken === null || token === null) return false;
  // Hashed first, so that both are of one length whatever was sent.
  return timingSafeEqual(hash('sha256', token, 'buffer'), hash('sha256', operatorToken, 'buffer'));
}
