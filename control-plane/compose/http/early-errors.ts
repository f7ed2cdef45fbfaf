// Responses to requests that never reach an API: malformed HTTP, unknown paths, errors of the framework.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { API_ROOT } from '../../platform/domain/addresses.js';
import { type ApiError, errorCatalog } from '../../platform/domain/error-catalog.js';
import { apiErrorBody } from '../../platform/http/api-envelope.js';
import { consoleErrorBody } from '../../platform/http/console-envelope.js';
import { endSocket } from '../../platform/http/end-socket.js';
import { newRequestId } from '../../platform/http/request-id.js';

/** Handles errors outside the two APIs' plugins, in the envelope of the API whose path was requested. */
export function early(request: FastifyRequest, reply: FastifyReply, error: ApiError, siteUrl: string): FastifyReply {
  const context = {
    requestId: request.id,
    siteUrl,
    method: request.method,
    url: request.raw.url ?? '',
    params: {},
    body: undefined,
    levels: null,
  };
  const body = context.url.startsWith(`${API_ROOT}/`)
    ? apiErrorBody(error, context, request.headers['service-error-format'], () => [])
    : consoleErrorBody(error, context);
  reply.header('x-request-id', request.id);
  if (error.retryAfterS !== null) reply.header('retry-after', error.retryAfterS);
  return reply
    .code(errorCatalog[error.code].status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}

/** Answers malformed HTTP, which never becomes a request, with a short response and closes the connection. */
export function refuseMalformed(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, reason]: [number, string] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout']
        : [400, 'Bad Request'];
  refuseOnSocket(socket, status, reason);
}

/** Answers a request whose body does not arrive, and closes the connection. */
export function refuseIncomplete({ socket }: IncomingMessage): void {
  refuseOnSocket(socket, 408, 'Request Timeout');
}

function refuseOnSocket(socket: Socket, status: number, reason: string): void {
  const id = newRequestId();
  // A request that did not arrive in time may do so next time: the network was slow, or this process was stopped meanwhile.
  const retryable = status === 408;
  const body = JSON.stringify({ error: { code: 'invalid_request', message: `${reason}.`, request_id: id, retryable } });
  endSocket(
    socket,
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${id}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
