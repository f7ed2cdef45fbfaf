// Signed requests to one bucket, repeated while the store is busy or its connections fail.
import { backoffMs } from '../../../../shared/backoff.js';
import type { Clock } from '../../../../shared/clock.js';
import { pause } from '../../../../shared/pause.js';
import { BlobError } from '../blob-error.js';
import { type Answer, createExchanges, type Exchange } from './exchange.js';
import { type SigningKey, sha256Of, signedAddress, signedHeaders } from './sign.js';
import { elements, textOf } from './xml.js';

export interface Bucket extends SigningKey {
  readonly bucket: string;
  /** Before every key; empty, or ends with a slash. */
  readonly prefix: string;
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly pathStyle: boolean;
}

export interface S3Request {
  readonly method: Exchange['method'];
  /** Null: the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** SHA-256 of the body, if it is known. */
  readonly bodyHash?: string;
  /** Time limit for the answer, ms, for what takes the store long. Default: 15 seconds, and more for a body. */
  readonly limitMs?: number;
}

/** An answer that was refused or has failed. Its message does not contain the credentials. */
export class S3Error extends Error {
  override name = 'S3Error';
  readonly status: number;
  /** @example 'NoSuchKey' */
  readonly code: string;
  constructor(request: S3Request, status: number, code: string, detail: string) {
    super(`${request.method} ${request.key ?? 'bucket'}: ${status} ${code}${detail === '' ? '' : `: ${detail}`}`);
    this.status = status;
    this.code = code;
  }
}

export type Requests = ReturnType<typeof createRequests>;

const ATTEMPTS = 5;
const BACKOFF = { baseMs: 200, maxMs: 3_000 };
/** A store that has just failed all attempts of a request gets one attempt each until it answers, ms. */
const DOUBTED_MS = 10_000;
const LIMIT_MS = 15_000;
/** For each started MiB of a body, beside LIMIT_MS. */
const LIMIT_PER_MIB_MS = 5_000;

/** @param clock of this machine */
export function createRequests(bucket: Bucket, clock: Clock) {
  const exchanges = createExchanges(clock);
  let failedAt: number | null = null;

  const urlOf = ({ key, query = {} }: Pick<S3Request, 'key' | 'query'>): URL => {
    const url = new URL(bucket.endpoint);
    if (!bucket.pathStyle) url.hostname = `${bucket.bucket}.${url.hostname}`;
    const folder = bucket.pathStyle ? `/${bucket.bucket}` : '';
    const path = key === null ? folder : `${folder}/${bucket.prefix}${key}`;
    url.pathname = `${url.pathname.replace(/\/$/, '')}${path}` || '/';
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  };

  const attempt = async (request: S3Request, bodyHash: string): Promise<Answer> => {
    const { method, headers = {}, body = Buffer.alloc(0) } = request;
    const url = urlOf(request);
    const signed = signedHeaders(bucket, { method, url, headers, bodyHash, at: clock.now() });
    const limitMs = request.limitMs ?? LIMIT_MS + Math.ceil(body.length / 2 ** 20) * LIMIT_PER_MIB_MS;
    const answer = await exchanges.send({ method, url, headers: signed, body, limitMs });
    if (answer.statusCode < 300) return answer;
    const text = await exchanges.text(answer);
    const [error = text] = elements(text, 'Error');
    throw new S3Error(request, answer.statusCode, textOf(error, 'Code'), textOf(error, 'Message'));
  };

  /**
   * Repeats `work` while the store is busy or its connections fail.
   *
   * @throws S3Error for an answer that would not change, BlobError `away` for the others
   */
  const insist = async <T>(work: () => Promise<T>): Promise<T> => {
    const isDoubted = failedAt !== null && clock.monotonic() - failedAt < DOUBTED_MS;
    const attempts = isDoubted ? 1 : ATTEMPTS;
    for (let tried = 1; ; tried++) {
      try {
        const done = await work();
        failedAt = null;
        return done;
      } catch (error) {
        if (error instanceof BlobError || (error instanceof S3Error && !isTemporary(error))) throw error;
        if (tried < attempts) await pause(clock, backoffMs(tried - 1, BACKOFF));
        else {
          failedAt = clock.monotonic();
          const reason = error instanceof Error ? error.message : String(error);
          throw new BlobError('away', `The object store ${bucket.endpoint} does not answer: ${reason}`, {
            cause: error,
          });
        }
      }
    }
  };

  return {
    insist,
    /** Returns an answer whose body is still to be read or destroyed. */
    open(request: S3Request): Promise<Answer> {
      const bodyHash = request.bodyHash ?? sha256Of(request.body ?? '');
      return insist(() => attempt(request, bodyHash));
    },
    /** Returns the headers of the answer, and its text. An answer of status 200 can still contain an error. */
    async call(request: S3Request): Promise<{ headers: Answer['headers']; text: string }> {
      const bodyHash = request.bodyHash ?? sha256Of(request.body ?? '');
      return insist(async () => {
        const answer = await attempt(request, bodyHash);
        const text = await exchanges.text(answer, request.limitMs);
        const [error] = /^\s*(?:<\?xml[^>]*>\s*)?<Error[\s>]/.test(text) ? elements(text, 'Error') : [];
        if (error !== undefined) throw new S3Error(request, 503, textOf(error, 'Code'), textOf(error, 'Message'));
        return { headers: answer.headers, text };
      });
    },
    bytes: exchanges.bytes,
    address: (key: string, query: Readonly<Record<string, string>>, validMs: number) =>
      signedAddress(bucket, { url: urlOf({ key, query }), at: clock.now(), validMs }),
    close: exchanges.close,
  };
}

/** A connection that broke in the middle of a body is answered so, too. */
const REPEATED = new Set(['RequestTimeout', 'SlowDown', 'BadDigest', 'XAmzContentSHA256Mismatch', 'IncompleteBody']);

const isTemporary = ({ status, code }: S3Error) =>
  (status >= 500 && status !== 501) || status === 429 || status === 408 || REPEATED.has(code);
