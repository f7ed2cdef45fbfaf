// Sends requests to servers that the operator configured (payment providers, code hosts): the guard for customers'
// addresses does not apply. The global fetch is not used: it fails on interim answers.
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request as sendPlain } from 'node:http';
import { request as sendSecure } from 'node:https';
import { ignoreInterimAnswers } from './interim-answers.js';

export interface ServerRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Aborts the request and the reading of its answer; gives the time limit too. */
  readonly signal: AbortSignal;
  /** In bytes; a longer one is cut off there. */
  readonly longestAnswer: number;
  /** Default: that of Node, which keeps connections. */
  readonly agent?: Agent;
}

export interface ServerAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Rejects without an answer in time. Redirects are returned, not
 * followed, so that credentials in the headers are not sent elsewhere.
 *
 * @example
 * const signal = timeLimit(10_000);
 * const { status, text } = await askServer(url, { method: 'GET', headers: {}, signal, longestAnswer: 65_536 });
 */
export async function askServer(url: string | URL, request: ServerRequest): Promise<ServerAnswer> {
  const { method, body, signal, longestAnswer, agent } = request;
  const send = new URL(url).protocol === 'https:' ? sendSecure : sendPlain;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers =
      body === undefined ? request.headers : { ...request.headers, 'content-length': String(Buffer.byteLength(body)) };
    const sent = send(url, { method, headers, signal, ...(agent ? { agent } : {}) });
    ignoreInterimAnswers(sent);
    sent.on('response', resolve);
    sent.on('error', reject);
    // Without an error when the server switches to another protocol.
    sent.on('close', () => reject(new Error('no answer')));
    sent.end(body);
  });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    // Ends the connection.
    if (size > longestAnswer) break;
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).subarray(0, longestAnswer).toString('utf8'),
  };
}
