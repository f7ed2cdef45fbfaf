// The cookie that carries a session's token.

export type SessionCookie = ReturnType<typeof createSessionCookie>;

/**
 * On https the name begins with `__Host-`: browsers then require Secure, Path=/ and no Domain, so that no sibling
 * host can set one. Plain http (loopback, for development) cannot use it.
 */
export function createSessionCookie(siteUrl: string) {
  const secure = siteUrl.startsWith('https:');
  const name = secure ? '__Host-cidermill' : 'cidermill_session';
  // Lax, not Strict: a payment provider sends the person back here by a link.
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return {
    name,
    /** Returns the token of a Cookie header; null without one, and when there are several: one may be somebody else's. */
    read(header: string | undefined): string | null {
      const tokens = new Set<string>();
      for (const pair of header?.split(';') ?? []) {
        const [key = '', ...value] = pair.split('=');
        if (key.trim() === name) tokens.add(value.join('=').trim());
      }
      const [token = null] = tokens;
      return tokens.size === 1 ? token : null;
    },
    /** Set-Cookie values. */
    set: (token: string, maxAgeS: number): string => `${name}=${token}; Max-Age=${maxAgeS}; ${attributes}`,
    clear: (): string => `${name}=; Max-Age=0; ${attributes}`,
  };
}
