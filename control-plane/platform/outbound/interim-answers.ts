// Interim answers (100, 102, 103) come before the answer to a request and are not answers themselves (RFC 9110, 15.2).
import type { ClientRequest } from 'node:http';

/** A server that sends more than this is flooding the client. */
const MOST_INTERIM_ANSWERS = 64;

/** Ignores interim answers, and ends the request with an error when there are too many. */
export function ignoreInterimAnswers(request: ClientRequest): void {
  let count = 0;
  request.on('information', () => {
    count++;
    if (count > MOST_INTERIM_ANSWERS) request.destroy(new Error('too many interim answers'));
  });
}
