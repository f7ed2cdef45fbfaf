/**
 * Returns the token of `Authorization: Bearer <token>`, or null if the header is missing or malformed. The scheme is
 * case-insensitive (RFC 9110); a token contains no spaces.
 */
export function bearerToken(header: string | undefined): string | null {
  if (header === undefined) return null;
  return /^bearer +([\x21-\x7e]+)$/i.exec(header)?.[1] ?? null;
}
