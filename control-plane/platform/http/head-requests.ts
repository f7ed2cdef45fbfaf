// HEAD is answered like GET without the content (RFC 9110, 9.3.2), by the route of GET. The routes that Fastify adds for HEAD
// would double all routes, and read the whole file of a download to throw it away.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

const heads = new WeakSet<IncomingMessage>();

/** For Fastify's `rewriteUrl`, which runs before a route is searched: lets the route of GET answer HEAD. */
export function routeHeadAsGet(request: IncomingMessage): string {
  if (request.method === 'HEAD') {
    request.method = 'GET';
    heads.add(request);
  }
  return request.url ?? '/';
}

/**
 * Mounted before all other hooks: they and the handlers see HEAD. An answer has the Content-Length that its handler has set,
 * otherwise none: GET may be compressed.
 */
export function answerHead(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _reply, done) => {
    if (heads.has(request.raw)) request.raw.method = 'HEAD';
    done();
  });
  server.addHook<unknown>('onSend', (request, _reply, payload, done) => {
    if (request.method !== 'HEAD') return done(null, payload);
    if (payload instanceof Readable) payload.destroy();
    done(null, null);
  });
}
