// Requests on one connection run one after the other: many fit into one packet, and all of them would be read and
// authenticated in the same turn of the event loop. Their answers come in order anyway.
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Limits } from '../domain/limits.js';

interface Pipeline {
  unanswered: number;
  /** Requests behind the one that runs. */
  readonly waiting: (() => void)[];
}

/** Also closes connections with more unanswered requests than `limits.pipelined_requests`. */
export function limitPipelining(server: FastifyInstance, limits: Pick<Limits, 'pipelined_requests'>): void {
  const open = new WeakMap<Socket, Pipeline>();
  server.addHook('onRequest', ({ raw }, reply, done) => {
    const { socket } = raw;
    if (socket.destroyed) {
      // Node parses the rest of a packet even then.
      reply.hijack();
      return;
    }
    const pipeline = open.get(socket) ?? { unanswered: 0, waiting: [] };
    open.set(socket, pipeline);
    pipeline.unanswered++;
    reply.raw.once('close', () => {
      pipeline.unanswered--;
      pipeline.waiting.shift()?.();
    });
    if (pipeline.unanswered > limits.pipelined_requests) {
      socket.destroy();
      reply.hijack();
      return;
    }
    if (pipeline.unanswered === 1) return done();
    pipeline.waiting.push(() => {
      if (socket.destroyed) reply.hijack();
      else done();
    });
  });
}
