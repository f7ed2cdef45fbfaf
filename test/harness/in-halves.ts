// A request whose body arrives in two halves.
import { PassThrough } from 'node:stream';
import type { Harness } from './harness.js';
import { until } from './until.js';

/** Sends the request; `between` runs when it has been admitted and half of its body has arrived. */
export async function inHalves(
  { inject }: Pick<Harness, 'inject'>,
  request: {
    method: 'POST' | 'PUT';
    url: string;
    credentials: Record<string, string>;
    type: string;
    body: Buffer;
  },
  between: () => Promise<unknown>,
) {
  const { method, url, credentials, type, body } = request;
  const payload = new PassThrough();
  const half = Math.floor(body.length / 2);
  payload.write(body.subarray(0, half));
  const headers = { ...credentials, 'content-type': type, 'content-length': String(body.length) };
  const answer = inject({ method, url, headers, payload });
  await until(() => payload.readableLength === 0, 'the first half to be read');
  await between();
  payload.end(body.subarray(half));
  return answer;
}
