// Whether a client wants the address of bytes in place of the bytes.

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * A browser that goes to the address follows redirects; other clients say so by `Prefer: redirect`, because some store the redirect
 * as the file.
 */
export const prefersRedirect = ({ prefer, 'sec-fetch-mode': mode }: Headers): boolean =>
  mode === 'navigate' || (typeof prefer === 'string' && /(?:^|,)\s*redirect\s*(?:,|$)/i.test(prefer));
