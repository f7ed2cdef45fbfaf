import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Returns the token of `Authorization: Bearer <token>`, or null if the header is missing or malformed. The scheme is
 * case-insensitive (RFC 9110); a token contains no spaces.
 */
export function bearerToken(header: string | undefined): string | null {
  if (header === undefined) return null;
  return /^bearer +([\x21-\x7e]+)$/i.exec(header)?.[1] ?? null;
}

/** Returns whether the header is `Bearer <operator token>`; always false if no operator token is configured. */
export function isOperator(authorization: string | undefined, operatorToken: string | null): boolean {
  const token = bearerToken(authorization);
  if (operatorToken === null || token === null) return false;
  // Compare hashes, because a constant-time comparison needs equal lengths.
  return timingSafeEqual(hash('sha256', token, 'buffer'), hash('sha256', operatorToken, 'buffer'));
}
