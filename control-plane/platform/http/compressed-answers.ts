// Compresses answers for clients that accept it, long ones on Node's thread pool, so that the main thread only copies
// the text. Not compressed: short answers, streams (logs, artifacts, events), and answers to anything but GET. Answers
// that show a secret once are of the last kind: if one were compressed together with text that somebody else chose, its
// length would reveal parts of the secret (BREACH).
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type ContentCoding, contentCoding } from './content-coding.js';

/** A shorter answer fits into one packet anyway. */
const COMPRESSED_FROM = 1_024;

/** Up to this length the thread pool takes more of the main thread's time than the compression, and its answer waits there. */
const POOLED_FROM = 16 * 1_024;

const COMPRESSIBLE = /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?json\b)/;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Higher levels save a few percent and take several times as long. */
const brotliOptions = ({ length }: Buffer) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_LGWIN]: 18,
    [constants.BROTLI_PARAM_SIZE_HINT]: length,
  },
});
const gzipOptions = { level: 6 };

const inPool: Readonly<Record<ContentCoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => brotli(bytes, brotliOptions(bytes)),
  gzip: (bytes) => zip(bytes, gzipOptions),
};

const here: Readonly<Record<ContentCoding, (bytes: Buffer) => Buffer>> = {
  br: (bytes) => brotliCompressSync(bytes, brotliOptions(bytes)),
  gzip: (bytes) => gzipSync(bytes, gzipOptions),
};

/** Mounted before what counts the bytes of answers. */
export function compressAnswers(server: FastifyInstance): void {
  server.addHook<unknown>('onSend', (request, reply, payload, done) => {
    if (request.method !== 'GET' || !isLong(payload) || !isCompressible(reply)) return done(null, payload);
    addVary(reply);
    const coding = contentCoding(request.headers['accept-encoding']);
    if (coding === null) return done(null, payload);
    const compressed = (bytes: Buffer) => {
      reply.header('content-encoding', coding).header('content-length', bytes.length);
      done(null, bytes);
    };
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    if (bytes.length < POOLED_FROM) return compressed(here[coding](bytes));
    inPool[coding](bytes).then(compressed, done);
  });
}

const isLong = (payload: unknown): payload is string | Buffer =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= COMPRESSED_FROM;

/** A checksum of the bytes (ETag) or a part of them (206) would not be that of the compressed ones. */
const isCompressible = (reply: FastifyReply): boolean =>
  reply.statusCode !== 206 &&
  !reply.hasHeader('content-encoding') &&
  !reply.hasHeader('etag') &&
  COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''));

function addVary(reply: FastifyReply): void {
  const before = String(reply.getHeader('vary') ?? '');
  if (!/\baccept-encoding\b/i.test(before))
    reply.header('vary', before === '' ? 'accept-encoding' : `${before}, accept-encoding`);
}
