import type { IncomingMessage } from 'node:http';
import { newId } from '../domain/ids.js';

// What may stand in a log line, a header and a URL without being mistaken for something else.
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's own X-Request-Id when it is harmless, else a new one. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : newId('req');
}
