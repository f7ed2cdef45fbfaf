// The Fastify server before anything is mounted: limits, headers of every response, metrics and error handlers.
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Log } from '../../../shared/log.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { answerHead, routeHeadAsGet } from '../../platform/http/head-requests.js';
import type { Metrics } from '../../platform/http/metrics.js';
import { requestId } from '../../platform/http/request-id.js';
import { refuseRepeatedHeaders } from '../../platform/http/single-headers.js';
import { toApiError } from '../../platform/http/thrown.js';
import { RequestOrWebSocket } from '../../platform/http/websocket-upgrades.js';
import { early, refuseMalformed } from './early-errors.js';
import { logRequest } from './request-log.js';

interface BareServerOptions {
  readonly siteUrl: string;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Returns whether the process is about to stop. */
  isStopping(): boolean;
  /** Answers a request for an unknown page of the console; returns null for any other request. */
  unknownPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | null;
}

/** Declares what requests carry, so that V8 keeps one shape of them. */
export function decorateRequests(server: FastifyInstance): void {
  for (const name of ['caller', 'session', 'operator', 'auditSubject'] as const) server.decorateRequest(name, null);
  server.decorateRequest('jsonBytes', 0);
}

/** Interval at which expired headers and requests are searched for. */
const CHECK_MS = 1_000;

/** Has no routes yet, only error handlers. */
export function createBareServer(options: BareServerOptions, stopping: AbortController): FastifyInstance {
  const { siteUrl, limits, log } = options;
  const logger: FastifyBaseLogger = log;
  const server = Fastify({
    loggerInstance: logger,
    // Creating a child logger per request would cost more than the log line.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    bodyLimit: limits.json_body_bytes,
    // Uploads may take long, but headers must arrive soon.
    requestTimeout: limits.upload_total_ms,
    http: {
      headersTimeout: limits.headers_ms,
      connectionsCheckingInterval: CHECK_MS,
      IncomingMessage: RequestOrWebSocket,
    },
    routerOptions: { maxParamLength: 2_000 },
    return503OnClosing: false,
    exposeHeadRoutes: false,
    rewriteUrl: routeHeadAsGet,
    frameworkErrors: (error, request, reply) => void early(request, reply, toApiError(error, request.raw), siteUrl),
    clientErrorHandler: refuseMalformed,
  });
  decorateRequests(server);
  answerHead(server);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    // When an upgrade is ignored, Node's parser drops the bytes that follow the request in the same packet. Closing the
    // connection makes the client repeat that request on another one, for which it would otherwise wait forever.
    if (request.headers.upgrade !== undefined) reply.raw.shouldKeepAlive = false;
    try {
      refuseRepeatedHeaders(request.raw.rawHeaders);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  // A proxy that keeps connections open would send its next request on one that is closed at that moment.
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (options.isStopping()) reply.raw.shouldKeepAlive = false;
    done(null, payload);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    options.metrics.answered(request.method, route, reply.statusCode, reply.elapsedTime);
    logRequest(log, request, reply);
    done();
  });
  server.addHook('preClose', (done) => {
    stopping.abort();
    done();
  });
  server.setNotFoundHandler(
    (request, reply) =>
      options.unknownPage(request, reply) ?? early(request, reply, new ApiError('not_found'), siteUrl),
  );
  server.setErrorHandler((thrown, request, reply) => {
    const error = toApiError(thrown, request.raw);
    if (error.code === 'internal_error') request.log.error({ err: thrown, request_id: request.id }, 'request failed');
    early(request, reply, error, siteUrl);
  });
  return server;
}
