// CSRF protection: requests that change something with a session cookie must come from pages of this service.
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../domain/error-catalog.js';

const safe: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Throws forbidden for an unsafe request that a browser sent from a page of another site. Browsers send Sec-Fetch-Site
 * (on https and loopback), and Origin with every unsafe cross-origin request. A request with neither header does not
 * come from a browser, so no cookie was added without the user's intent.
 */
export function requireSameOrigin(request: { method: string; headers: IncomingHttpHeaders }, siteUrl: string): void {
  if (safe.has(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) {
    // `none`: started by the user, e.g. from the address bar.
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
