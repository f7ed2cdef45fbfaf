// Limits the requests on one connection that are not answered yet: many fit into one packet, and all of them would be
// admitted in the same turn of the event loop.
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Limits } from '../domain/limits.js';

/** Closes connections with more unanswered requests than `limits.pipelined_requests`. */
export function limitPipelining(server: FastifyInstance, limits: Pick<Limits, 'pipelined_requests'>): void {
  const open = new WeakMap<Socket, number>();
  server.addHook('onRequest', ({ raw }, reply, done) => {
    const { socket } = raw;
    if (socket.destroyed) {
      // Node parses the rest of a packet even then.
      reply.hijack();
      return;
    }
    const unanswered = (open.get(socket) ?? 0) + 1;
    open.set(socket, unanswered);
    reply.raw.once('close', () => open.set(socket, (open.get(socket) ?? 1) - 1));
    if (unanswered > limits.pipelined_requests) {
      socket.destroy();
      reply.hijack();
      return;
    }
    done();
  });
}
