import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { redact } from '../../../shared/redact.js';

// What may stand in a log line, a header and a URL without being mistaken for something else.
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

// Unique rather than secret: a random part for each start of the process, and a count.
const start = randomBytes(6).toString('hex');
let count = 0;

/** The caller's own X-Request-Id when it is harmless and holds no key, else a new one. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) && redact(given) === given ? given : newRequestId();
}

export function newRequestId(): string {
  count++;
  return `req_${start}${count.toString(36)}`;
}
