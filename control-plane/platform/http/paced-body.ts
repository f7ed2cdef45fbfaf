// Receives large bodies at the pace of their party's turns: the bytes of a busy party arrive no faster than it gets
// turns. Left to itself, Node reads up to 2 MiB of each connection before anything else runs.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';

/** Bodies up to this size have arrived with the first piece that is read of a connection. */
const PIECE = 64 * 1024;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i;

/**
 * Returns how many bytes of JSON a request announces, if it may not have come with the first piece; null otherwise.
 *
 * @param most assumed without a length
 */
export function largeJsonOf({ headers }: IncomingMessage, most: number): number | null {
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) return null;
  if (headers['transfer-encoding'] !== undefined) return most;
  const bytes = Number(headers['content-length'] ?? 0);
  return bytes > PIECE ? bytes : null;
}

/** Reads the body to its end: after each piece, the next one in a later turn. */
export function paceBody(body: Readable, turn: () => Promise<void>): void {
  const go = () => void body.resume();
  body.on('data', () => {
    body.pause();
    turn().then(go);
  });
}

/** Reads what is left of a body that nobody needs, so that the connection can go on. */
export function discardBody(request: FastifyRequest): void {
  request.paceBody?.();
  request.raw.resume();
}
