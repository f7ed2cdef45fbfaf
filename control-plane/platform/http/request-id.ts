import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { redact } from '../../../shared/redact.js';

// Characters that need no escaping in a log line, a header or a URL.
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

// Ids must be unique, not secret: a random prefix per process, and a counter.
const start = randomBytes(6).toString('hex');
let count = 0;

/** Returns the client's X-Request-Id if it is well-formed and contains no key, or else a new id. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) && redact(given) === given ? given : newRequestId();
}

export function newRequestId(): string {
  count++;
  return `req_${start}${count.toString(36)}`;
}
