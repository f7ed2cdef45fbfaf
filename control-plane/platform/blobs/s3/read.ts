// Reads an object. A connection that breaks is replaced, and the rest is read from where it ended.
import { Readable } from 'node:stream';
import { type ByteRange, MissingObjectError } from '../object-store.js';
import type { Answer } from './exchange.js';
import { refused } from './parts.js';
import { type Requests, S3Error } from './requests.js';

/** Connections in a row that may break without having brought anything. */
const MOST_BREAKS = 3;

/** See `ObjectStore.open`. */
export async function readObject(requests: Requests, key: string, { start = 0, end }: ByteRange): Promise<Readable> {
  if (end !== undefined && end <= start) {
    await openAt(requests, key, { start: 0, end: 1 }).then((answer) => answer?.destroy());
    return Readable.from([]);
  }
  const first = await openAt(requests, key, { start, end });
  if (first === null) return Readable.from([]);
  const stream = Readable.from(pieces(requests, key, { start, end }, first), { objectMode: false });
  // Also when nothing was read of it.
  return stream.once('close', () => first.destroy());
}

async function* pieces(
  requests: Requests,
  key: string,
  { start, end }: { readonly start: number; readonly end: number | undefined },
  first: Answer,
): AsyncGenerator<Buffer, void, undefined> {
  const etag = first.headers.etag;
  let at = start;
  let breaks = 0;
  for (let answer: Answer | null = first; answer !== null; ) {
    try {
      for await (const piece of requests.bytes(answer)) {
        yield piece;
        at += piece.length;
        breaks = 0;
      }
      return;
    } catch (error) {
      if (++breaks > MOST_BREAKS) throw error;
    }
    answer = end !== undefined && at >= end ? null : await openAt(requests, key, { start: at, end }, etag);
  }
}

/** Returns null if the range begins at the end of the object, or beyond. */
async function openAt(
  requests: Requests,
  key: string,
  { start, end }: { readonly start: number; readonly end: number | undefined },
  etag?: string,
): Promise<Answer | null> {
  const isWhole = start === 0 && end === undefined;
  const headers = {
    ...(isWhole ? {} : { range: `bytes=${start}-${end === undefined ? '' : end - 1}` }),
    ...(etag === undefined ? {} : { 'if-match': etag }),
  };
  try {
    const answer = await requests.open({ method: 'GET', key, headers });
    if (isWhole || answer.statusCode === 206) return answer;
    answer.destroy();
    // An empty object has no ranges.
    if (answer.headers['content-length'] === '0') return null;
    throw new Error(`the object store ignores ranges (${answer.statusCode})`);
  } catch (error) {
    if (error instanceof S3Error && error.status === 416) return null;
    if (error instanceof S3Error && error.code === 'NoSuchKey') throw new MissingObjectError(key);
    throw refused(error);
  }
}
