/**
 * The token of `Authorization: Bearer <token>`; null when the header is missing or malformed. The scheme's case
 * does not matter (RFC 9110); a token has no space.
 */
export function bearerToken(header: string | undefined): string | null {
  if (header === undefined) return null;
  return /^bearer +([\x21-\x7e]+)$/i.exec(header)?.[1] ?? null;
}
