// Against forged requests: what changes something in a person's name must come from our own pages.
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../domain/error-catalog.js';

const safe: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Throws forbidden for an unsafe request that a browser made for another site. Browsers say who made a request
 * (Sec-Fetch-Site, on https and loopback), or at least for whom (Origin, with every unsafe request to another
 * origin). A request with neither comes from no browser, so nobody's cookie was added behind their back.
 */
export function requireSameOrigin(
  request: { method: string; headers: IncomingHttpHeaders },
  siteUrl: string,
): void {
  if (safe.has(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) {
    // `none`: the person did it, e.g. from the address bar.
    if (site === 'same-origin' || site === 'none') return;
    throw refused();
  }
  const { origin } = request.headers;
  if (origin !== undefined && origin !== new URL(siteUrl).origin) throw refused();
}

function refused(): ApiError {
  return new ApiError('forbidden', {
    message: 'The request comes from another site; with a session only our own pages may change something.',
  });
}
