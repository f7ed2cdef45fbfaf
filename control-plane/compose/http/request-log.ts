import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../../shared/log.js';
import { redact } from '../../../shared/redact.js';

export const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? '';

/**
 * Logs one line per request, without query, headers or body. Successful requests are logged at level debug, because a
 * line costs more than answering GET /status.
 */
export function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const failed = reply.statusCode >= 400;
  const level = failed ? 'info' : 'debug';
  if (!log.isLevelEnabled(level)) return;
  const entry = {
    request_id: request.id,
    method: request.method,
    path: redact(pathOf(request)),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    account: request.caller?.account.id,
    key: request.caller?.key?.id,
  };
  log[level](entry, 'request');
}
