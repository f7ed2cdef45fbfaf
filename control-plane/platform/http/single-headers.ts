// Headers that a request may have once only. Of a repeated one, Node keeps the first or joins them, and a proxy may keep
// another: each would then decide about a different request.
import { ApiError } from '../domain/error-catalog.js';

const single: ReadonlySet<string> = new Set([
  'authorization',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'if-range',
  'origin',
  'range',
  'sec-fetch-site',
  'service-error-format',
  'service-unattended',
  'x-sha256',
]);

/**
 * Returns the first such header that is given more than once, in lower case, or null.
 *
 * @param rawHeaders names and values in turn, as Node has them
 * @example repeatedHeader(['Host', 'a', 'host', 'b']) // 'host'
 */
export function repeatedHeader(rawHeaders: readonly string[]): string | null {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!single.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}

/** @throws ApiError invalid_request */
export function refuseRepeatedHeaders(rawHeaders: readonly string[]): void {
  const name = repeatedHeader(rawHeaders);
  if (name === null) return;
  throw new ApiError('invalid_request', {
    message: `The header ${name} is given more than once; send it once.`,
    detail: { header: name },
  });
}
