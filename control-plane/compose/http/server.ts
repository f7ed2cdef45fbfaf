// The HTTP server: site pages, family A below /api/v1, family B below /api/runner, and family A a second time for
// the console, below each organization of family B.
import { setMaxListeners } from 'node:events';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { type Clock, systemClock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { redact } from '../../../shared/redact.js';
import type { ApiKeys } from '../../access/app/api-keys.js';
import type { Sessions } from '../../access/app/sessions.js';
import { permitAgent } from '../../access/http/agent-permit.js';
import { createKeyAuthenticator } from '../../access/http/key-authenticator.js';
import { bySessionOnly, createRunnerAuthenticate } from '../../access/http/runner-authenticate.js';
import { permitRunner } from '../../access/http/runner-permit.js';
import { createSessionAuthenticator } from '../../access/http/session-authenticator.js';
import type { SessionCookie } from '../../access/http/session-cookie.js';
import type { BuildViewing } from '../../builds/app/build-viewing.js';
import type { Files } from '../../builds/app/files.js';
import type { ApiErrors } from '../../platform/app/api-errors.js';
import type { Idempotency } from '../../platform/app/idempotency.js';
import { compileRanges } from '../../platform/domain/cidr.js';
import { allDegradations, type DegradationSource } from '../../platform/domain/degradation.js';
import { ApiError, errorCatalog } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { createAccessWatch } from '../../platform/http/access-watch.js';
import { agentCodes, agentErrorBody } from '../../platform/http/agent-envelope.js';
import { createSuggest } from '../../platform/http/agent-next.js';
import { clientIp } from '../../platform/http/client-ip.js';
import {
  type Authenticate,
  type Family,
  type FamilyDeps,
  mountFamily,
  rootOf,
} from '../../platform/http/family.js';
import type { Metrics } from '../../platform/http/metrics.js';
import { createRateLimiter, type RateLimiter } from '../../platform/http/rate-limit.js';
import { newRequestId, requestId } from '../../platform/http/request-id.js';
import type { LeveledRoute } from '../../platform/http/route.js';
import { createRouteIndex } from '../../platform/http/route-index.js';
import { runnerCodes, runnerErrorBody } from '../../platform/http/runner-envelope.js';
import { toApiError } from '../../platform/http/thrown.js';
import { mountBuildPages } from '../../start/site/builds.js';
import { mountDocuments } from '../../start/site/documents.js';
import { createErrorPages } from '../../start/site/error-page.js';
import { mountOperations } from '../../start/site/operations.js';
import { mountPages } from '../../start/site/pages.js';

export const AGENT_ROOT = '/api/v1';
export const RUNNER_ROOT = '/api/runner';
export const OPERATOR_ROOT = '/api/operator';
/** Family A for console sessions. */
export const CONSOLE_AGENT_ROOT = `${RUNNER_ROOT}/v1/organizations/:org_id/agent`;

export interface ServerOptions {
  /** Without a trailing slash. */
  readonly siteUrl: string;
  /** The pay page opens PortOne's window. */
  readonly paymentWindow?: boolean;
  readonly limits: Limits;
  /** CIDRs of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly agentRoutes: readonly LeveledRoute[];
  readonly runnerRoutes: readonly LeveledRoute[];
  readonly operatorRoutes: readonly LeveledRoute[];
  /** Null: /metrics answers loopback addresses only. */
  readonly operatorToken: string | null;
  readonly metrics: Metrics;
  /** Throws if the service is unhealthy. */
  ready(): Promise<void>;
  /** Hosts that have not reconnected since startup; the service is not ready until they have. */
  awaitedHosts(): number;
  /** A failure that requires a restart of the process; null if there is none. */
  failure(): Error | null;
  /** Degradations, listed by `/healthz`. */
  readonly degradations?: readonly DegradationSource[];
  /** Mounts the host link and the console beside the two families. */
  readonly mount?: ((server: FastifyInstance) => void) | undefined;
  readonly apiKeys: ApiKeys;
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly files: Pick<Files, 'workspaceOf' | 'ticket'>;
  readonly buildViewing: BuildViewing;
  readonly idempotency: Idempotency;
  readonly apiErrors: ApiErrors;
  /** One bucket per key; GET /me reports its state. */
  readonly rateLimiter: RateLimiter;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Builds the Fastify server. Closing aborts the signal of long polls, which then answer with the current state, and
 * waits for requests in flight.
 */
export function buildServer(options: ServerOptions): FastifyInstance {
  const { siteUrl, limits, apiKeys, apiErrors, clock, log, rateLimiter } = options;
  const trusted = options.trustedProxies.length > 0 ? compileRanges(options.trustedProxies) : null;
  const stopping = new AbortController();
  // Every long poll adds a listener, and there may be thousands.
  setMaxListeners(0, stopping.signal);
  const server = createBareServer(options, stopping);
  const failures = createRateLimiter(clock, limits.failed_keys_per_minute, limits.rate_limit_callers);
  const addressOf = (request: FastifyRequest) => clientIp(request.raw, trusted);
  const authenticator = { apiKeys, clock, failures, clientIp: addressOf };
  const people = createSessionAuthenticator({
    sessions: options.sessions,
    cookie: options.cookie,
    siteUrl,
    workspaceOfFile: options.files.workspaceOf,
    clientIp: addressOf,
  });
  const accessWatch = createAccessWatch({ clock: systemClock, everyMs: limits.access_check_ms, log });
  server.addHook('onClose', async () => accessWatch.close());
  const deps: FamilyDeps = {
    siteUrl,
    limits,
    idempotency: options.idempotency,
    rateLimiter,
    clientIp: addressOf,
    stopping: stopping.signal,
    accessWatch,
    onError(error, request, caller) {
      apiErrors.record(
        error,
        { requestId: request.id, method: request.method, path: pathOf(request) },
        caller,
      );
    },
  };
  const byAgentKey = createKeyAuthenticator(authenticator, 'invalid_api_key');
  const byRunnerKey = createKeyAuthenticator(authenticator, 'api_key_revoked_leaked');
  const families = [
    agentFamily(AGENT_ROOT, options.agentRoutes, byAgentKey),
    agentFamily(CONSOLE_AGENT_ROOT, options.agentRoutes, bySessionOnly(people)),
    runnerFamily(options.runnerRoutes, createRunnerAuthenticate(byRunnerKey, people)),
    operatorFamily(options.operatorRoutes),
  ];
  for (const family of families) mountFamily(server, family, deps);
  const suggest = createSuggest(AGENT_ROOT, createRouteIndex(options.agentRoutes));
  const errorPages = createErrorPages(siteUrl, (error, context) =>
    agentErrorBody(error, context, '2', suggest),
  );
  mountDocuments(server, { siteUrl, errorPages });
  mountPages(server, { siteUrl, paymentWindow: options.paymentWindow ?? false });
  mountBuildPages(server, {
    ...{ viewing: options.buildViewing, files: options.files, clock, rateLimiter },
    person: people.person,
    clientIp: addressOf,
  });
  mountOperations(server, {
    ready: options.ready,
    awaitedHosts: options.awaitedHosts,
    failure: options.failure,
    degradations: allDegradations(options.degradations ?? []),
    metrics: options.metrics,
    operatorToken: options.operatorToken,
    clientIp: addressOf,
  });
  options.mount?.(server);
  return server;
}

/** Has no routes yet, only error handlers. */
function createBareServer(options: ServerOptions, stopping: AbortController): FastifyInstance {
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
    routerOptions: { maxParamLength: 2_000 },
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      void early(request, reply, toApiError(error, request.raw), siteUrl),
    clientErrorHandler: refuseMalformed,
  });
  server.decorateRequest('caller', null);
  server.decorateRequest('session', null);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    done();
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
    (request, reply) => void early(request, reply, new ApiError('not_found'), siteUrl),
  );
  server.setErrorHandler((thrown, request, reply) => {
    const error = toApiError(thrown, request.raw);
    if (error.code === 'internal_error')
      request.log.error({ err: thrown, request_id: request.id }, 'request failed');
    early(request, reply, error, siteUrl);
  });
  return server;
}

function agentFamily(prefix: string, routes: readonly LeveledRoute[], authenticate: Authenticate): Family {
  const index = createRouteIndex(routes);
  return {
    prefix,
    routes,
    index,
    authenticate,
    permit: permitAgent,
    codes: agentCodes,
    envelope: (request) => {
      // Suggested requests use the base path of this request.
      const suggest = createSuggest(rootOf(pathOf(request), prefix), index);
      return (error, context) =>
        agentErrorBody(error, context, request.headers['service-error-format'], suggest);
    },
  };
}

function runnerFamily(routes: readonly LeveledRoute[], authenticate: Authenticate): Family {
  return {
    prefix: RUNNER_ROOT,
    routes,
    index: createRouteIndex(routes),
    authenticate,
    permit: permitRunner,
    codes: runnerCodes,
    envelope: () => runnerErrorBody,
  };
}

/**
 * Routes for the operator. They check the operator token themselves, because an operator is not a caller of an account.
 */
function operatorFamily(routes: readonly LeveledRoute[]): Family {
  const nobody = () => {
    throw new ApiError('operator_token_required');
  };
  return {
    prefix: OPERATOR_ROOT,
    routes,
    index: createRouteIndex(routes),
    authenticate: nobody,
    permit: nobody,
    codes: runnerCodes,
    envelope: () => runnerErrorBody,
  };
}

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? '';

/** Handles errors outside the two families' plugins, in the envelope of the family whose path was requested. */
function early(request: FastifyRequest, reply: FastifyReply, error: ApiError, siteUrl: string): FastifyReply {
  const context = {
    requestId: request.id,
    siteUrl,
    method: request.method,
    url: request.raw.url ?? '',
    params: {},
    body: undefined,
    levels: null,
  };
  const body = context.url.startsWith(`${AGENT_ROOT}/`)
    ? agentErrorBody(error, context, request.headers['service-error-format'], () => [])
    : runnerErrorBody(error, context);
  reply.header('x-request-id', request.id);
  return reply
    .code(errorCatalog[error.code].status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}

/**
 * Logs one line per request, without query, headers or body. Successful requests are logged at level debug, because a
 * line costs more than answering GET /status.
 */
function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
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

/** Answers malformed HTTP, which never becomes a request, with a short response and closes the connection. */
function refuseMalformed(
  this: FastifyInstance,
  error: Error & { code?: string },
  socket: import('node:net').Socket,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, reason] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout']
        : [400, 'Bad Request'];
  const id = newRequestId();
  const body = JSON.stringify({
    error: { code: 'invalid_request', message: `${reason}.`, request_id: id, retryable: false },
  });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${id}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
