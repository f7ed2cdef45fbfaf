// One HTTP request to the object store, and its answer.
import { Agent, type ClientRequest, type IncomingMessage, request as sendPlain } from 'node:http';
import { Agent as SecureAgent, request as sendSecure } from 'node:https';
import type { Clock } from '../../../../shared/clock.js';

export interface Exchange {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Time limit for the request and the start of its answer, ms. */
  readonly limitMs: number;
}

/** An answer whose body is still to be read or destroyed. */
export type Answer = IncomingMessage & { statusCode: number };

const MOST_CONNECTIONS = 64;
/** An answer that brings no bytes for this long has failed, ms. */
const SILENCE_MS = 30_000;
/** In bytes, of an answer that is read whole. */
const LONGEST_TEXT = 4 * 1024 * 1024;

/** @param clock of this machine */
export function createExchanges(clock: Clock) {
  const options = { keepAlive: true, maxSockets: MOST_CONNECTIONS, maxFreeSockets: 16 };
  const plain = new Agent(options);
  const secure = new SecureAgent(options);

  const within = async <T>(ms: number, stop: (error: Error) => void, work: Promise<T>): Promise<T> => {
    const timer = clock.setTimeout(() => stop(new Error(`no answer within ${ms} ms`)), ms);
    return work.finally(() => timer.cancel());
  };

  return {
    /** Rejects if the connection fails or no answer begins in time. Redirects are returned, not followed. */
    send({ method, url, headers, body, limitMs }: Exchange): Promise<Answer> {
      const isSecure = url.protocol === 'https:';
      const own = { method, headers: { ...headers, 'content-length': String(body.length) } };
      const request: ClientRequest = isSecure
        ? sendSecure(url, { ...own, agent: secure })
        : sendPlain(url, { ...own, agent: plain });
      const answer = new Promise<Answer>((resolve, reject) => {
        request.on('response', (response) => resolve(response as Answer));
        request.on('error', reject);
        // Without an error when the server switches to another protocol.
        request.on('close', () => reject(new Error('no answer')));
      });
      request.end(body);
      return within(limitMs, (error) => request.destroy(error), answer);
    },

    /** Yields the bytes of an answer. Throws if it ends early, or brings nothing for too long while they are waited for. */
    async *bytes(answer: Answer): AsyncGenerator<Buffer, void, undefined> {
      const announced = answer.headers['content-length'];
      let received = 0;
      const pieces = answer[Symbol.asyncIterator]();
      try {
        for (;;) {
          const piece = await within(SILENCE_MS, (error) => answer.destroy(error), pieces.next());
          if (piece.done) break;
          received += (piece.value as Buffer).length;
          yield piece.value as Buffer;
        }
      } finally {
        answer.destroy();
      }
      if (announced !== undefined && Number(announced) !== received) throw new Error('the answer ended early');
    },

    /** Reads a short answer to its end. */
    async text(answer: Answer, limitMs = SILENCE_MS): Promise<string> {
      const pieces: Buffer[] = [];
      let size = 0;
      const reading = async () => {
        for await (const piece of answer as AsyncIterable<Buffer>) {
          size += piece.length;
          if (size > LONGEST_TEXT) throw new Error('the answer is too long');
          pieces.push(piece);
        }
      };
      await within(limitMs, (error) => answer.destroy(error), reading());
      return Buffer.concat(pieces).toString('utf8');
    },

    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}
