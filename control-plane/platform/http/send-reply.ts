// Sends the reply of a handler, or a recorded one.
import type { FastifyReply } from 'fastify';
import type { SentReply } from '../app/idempotency.js';
import type { RouteReply } from './route.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** @param text the body, if it has been serialized */
export function send(reply: FastifyReply, answer: RouteReply, text: SentReply | null): FastifyReply {
  const { status, body, headers, flush } = answer;
  const type = text?.contentType ?? answer.type;
  reply.code(status);
  if (headers) reply.headers(headers);
  if (type !== undefined) reply.type(type);
  reply.send(text?.body ?? body ?? undefined);
  // Fastify has passed its headers to Node by now and waits for the stream.
  if (flush && reply.raw.hasHeader('content-type')) reply.raw.flushHeaders();
  return reply;
}

/** Returns the response as JSON, serialized by the route's shape for the status. */
export function serialized(reply: FastifyReply, { status, body }: RouteReply): SentReply {
  const write = reply.getSerializationFunction(String(status));
  const isObject = typeof body === 'object' && body !== null;
  return {
    status,
    contentType: JSON_TYPE,
    body: write && isObject ? write({ ...body }) : JSON.stringify(body),
  };
}

export function sendText(reply: FastifyReply, { status, contentType, body }: SentReply): FastifyReply {
  return reply.code(status).type(contentType).send(body);
}
