/**
 * Returns the address to go to after signing in, or null. Allows only addresses of this site, to prevent open
 * redirects. A path of this site may begin with two slashes too (`/.//evil.example` resolves to `//evil.example`), which
 * a browser would take for another host.
 */
export function nextAddress(given: string | null | undefined, origin: string): string | null {
  if (!given?.startsWith('/') || !URL.canParse(given, origin)) return null;
  const url = new URL(given, origin);
  const here = url.origin === origin && !url.pathname.startsWith('//');
  return here ? url.pathname + url.search + url.hash : null;
}
