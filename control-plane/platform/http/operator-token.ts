import { hash, timingSafeEqual } from 'node:crypto';
import { bearerToken } from './bearer.js';

/** Returns whether the header is `Bearer <operator token>`; always false if no operator token is configured. */
export function isOperator(authorization: string | undefined, operatorToken: string | null): boolean {
  const token = bearerToken(authorization);
  if (operatorToken === null || token === null) return false;
  // Compare hashes, because a constant-time comparison needs equal lengths.
  return timingSafeEqual(hash('sha256', token, 'buffer'), hash('sha256', operatorToken, 'buffer'));
}
