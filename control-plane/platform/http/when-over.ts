import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What each response still has to call. A request has one pair of listeners, however many wait for its end. */
const waiting = new WeakMap<ServerResponse, (() => void)[]>();

/**
 * Calls `then` once: when the response has been sent or the connection closes, or immediately if it is already closed.
 * A pipelined response that waits for an earlier one emits no event when the connection closes, so the socket is
 * watched too.
 */
export function whenOver({ raw }: FastifyRequest, reply: FastifyReply, then: () => void): void {
  const { socket } = raw;
  if (socket.destroyed || reply.raw.destroyed) {
    then();
    return;
  }
  const known = waiting.get(reply.raw);
  if (known) {
    known.push(then);
    return;
  }
  const calls = [then];
  waiting.set(reply.raw, calls);
  // Pipelined requests share a connection, so it may have any number of listeners.
  socket.setMaxListeners(0);
  const over = () => {
    reply.raw.off('close', over);
    socket.off('close', over);
    waiting.delete(reply.raw);
    // The response's event is emitted inside that of the socket, which then still calls this listener.
    for (const call of calls.splice(0)) call();
  };
  reply.raw.once('close', over);
  socket.once('close', over);
}
