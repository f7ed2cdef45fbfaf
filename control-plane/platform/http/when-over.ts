import type { FastifyReply, FastifyRequest } from 'fastify';

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
  // Pipelined requests share a connection, so it may have any number of listeners.
  socket.setMaxListeners(0);
  let called = false;
  const over = () => {
    reply.raw.off('close', over);
    socket.off('close', over);
    // The response's event is emitted inside that of the socket, which then still calls this listener.
    if (!called) then();
    called = true;
  };
  reply.raw.once('close', over);
  socket.once('close', over);
}
