// The HTTP server: site pages, the API below /api/v1, the console's API below /api/runner, and the API a second time for
// the console, below each organization of the console's API.
import { setMaxListeners } from 'node:events';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Clock, systemClock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { ApiKeys } from '../../access/app/api-keys.js';
import type { AuditLog } from '../../access/app/audit-log.js';
import type { Sessions } from '../../access/app/sessions.js';
import { isConfirmed } from '../../access/domain/session.js';
import { bySessionOnly, createConsoleAuthenticate } from '../../access/http/console-authenticate.js';
import { createKeyAuthenticator } from '../../access/http/key-authenticator.js';
import { createOperatorAuthenticate } from '../../access/http/operator-authenticate.js';
import { createSessionAuthenticator } from '../../access/http/session-authenticator.js';
import type { SessionCookie } from '../../access/http/session-cookie.js';
import type { BuildSharing } from '../../builds/app/build-sharing.js';
import type { Files } from '../../builds/app/files.js';
import { createShareAuthenticator } from '../../builds/http/share-authenticator.js';
import type { Packages } from '../../packages/app/packages.js';
import { mountPackages } from '../../packages/http/package-routes.js';
import type { ApiErrors } from '../../platform/app/api-errors.js';
import type { Idempotency } from '../../platform/app/idempotency.js';
import type { OwnProcess } from '../../platform/app/processes.js';
import type { RecordsQuota } from '../../platform/app/records-quota.js';
import type { Turns } from '../../platform/app/turns.js';
import { API_ROOT } from '../../platform/domain/addresses.js';
import { isVisitor } from '../../platform/domain/caller.js';
import { compileRanges } from '../../platform/domain/cidr.js';
import { allDegradations, type DegradationSource } from '../../platform/domain/degradation.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SharedState } from '../../platform/domain/shared-state.js';
import { createAccessWatch } from '../../platform/http/access-watch.js';
import type { AnswersInFlight } from '../../platform/http/answers-in-flight.js';
import { apiErrorBody } from '../../platform/http/api-envelope.js';
import { createSuggest } from '../../platform/http/api-next.js';
import { clientIp } from '../../platform/http/client-ip.js';
import { compressAnswers } from '../../platform/http/compressed-answers.js';
import { refuseWritesOnFullDisk } from '../../platform/http/disk-watermark.js';
import type { Metrics } from '../../platform/http/metrics.js';
import { type ApiDeps, type Authenticate, mountApi } from '../../platform/http/mount-api.js';
import type { OpenRequests } from '../../platform/http/open-requests.js';
import { limitPipelining } from '../../platform/http/pipelining.js';
import type { RateLimits } from '../../platform/http/rate-limit.js';
import type { RequestRate } from '../../platform/http/request-rate.js';
import { mountRequestTurns, type TurnRefusals } from '../../platform/http/request-turns.js';
import type { AnyRoute } from '../../platform/http/route.js';
import { createRouteIndex } from '../../platform/http/route-index.js';
import { mountDocuments } from '../../start/site/documents.js';
import { createErrorPages } from '../../start/site/error-page.js';
import { mountOperations } from '../../start/site/operations.js';
import { createPages } from '../../start/site/pages.js';
import { consoleApi, operatorApi, programsApi, SESSION_API_ROOT, sharedApi } from './apis.js';
import { createBareServer } from './bare-server.js';
import { pathOf } from './request-log.js';
import { limitStrangers } from './strangers.js';

export interface ServerOptions {
  /** Without a trailing slash. */
  readonly siteUrl: string;
  /** The pay page opens PortOne's window. */
  readonly paymentWindow?: boolean;
  readonly limits: Limits;
  /** CIDRs of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly apiRoutes: readonly AnyRoute[];
  readonly consoleRoutes: readonly AnyRoute[];
  readonly operatorRoutes: readonly AnyRoute[];
  /** Null: /metrics answers loopback addresses only, and the operator API sessions only. */
  readonly operatorToken: string | null;
  readonly metrics: Metrics;
  /** Throws if the service is unhealthy. */
  ready(): Promise<void>;
  /** Hosts that have not reconnected since startup; the service is not ready until they have. */
  awaitedHosts(): number;
  objectsAway(): boolean;
  /** Whether the process is about to stop. */
  isStopping(): boolean;
  readonly processes: Pick<OwnProcess, 'record'>;
  /** A failure that requires a restart of the process; null if there is none. */
  failure(): Error | null;
  /** Degradations, listed by `/healthz`. */
  readonly degradations?: readonly DegradationSource[];
  /** Mounts the host link and the console beside the two APIs. */
  readonly mount?: ((server: FastifyInstance) => void) | undefined;
  readonly apiKeys: ApiKeys;
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly files: Pick<Files, 'workspaceOf' | 'ticket'>;
  readonly sharing: Pick<BuildSharing, 'open'>;
  readonly packages: Packages;
  readonly idempotency: Idempotency;
  readonly apiErrors: ApiErrors;
  readonly auditLog: AuditLog;
  readonly openRequests: OpenRequests;
  readonly recordsQuota: RecordsQuota;
  /** Its state is reported by GET /me. */
  readonly requestRate: RequestRate;
  readonly rateLimits: RateLimits;
  readonly shared: SharedState | null;
  readonly turns: Turns;
  readonly answers: AnswersInFlight;
  readonly refusals: TurnRefusals;
  readonly diskRoom: { admits(what: 'requests'): Promise<boolean> };
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Builds the Fastify server. Closing aborts the signal of long polls, which then answer with the current state, and
 * waits for requests in flight.
 */
export function buildServer(options: ServerOptions): FastifyInstance {
  const { siteUrl, limits, apiKeys, apiErrors, clock, log, requestRate } = options;
  const trusted = options.trustedProxies.length > 0 ? compileRanges(options.trustedProxies) : null;
  const stopping = new AbortController();
  // Every long poll adds a listener, and there may be thousands.
  setMaxListeners(0, stopping.signal);
  const pages = createPages({ siteUrl, paymentWindow: options.paymentWindow ?? false, cookie: options.cookie });
  const server = createBareServer({ ...options, unknownPage: pages.unknown }, stopping);
  const failures = options.rateLimits({ kind: 'failed key', perMinute: limits.failed_keys_per_minute, exact: true });
  const addressOf = (request: FastifyRequest) => clientIp(request.raw, trusted);
  limitPipelining(server, limits);
  limitStrangers(server, { limits, trusted, clientIp: addressOf, shared: options.shared?.sightings ?? null });
  compressAnswers(server);
  mountRequestTurns(server, { ...options, clientIp: addressOf });
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
  const deps: ApiDeps = {
    siteUrl,
    limits,
    idempotency: options.idempotency,
    requestRate,
    isConfirmed: (person) => isConfirmed(person, clock.now(), limits),
    audit: options.auditLog,
    openRequests: options.openRequests,
    recordsQuota: options.recordsQuota,
    clientIp: addressOf,
    stopping: stopping.signal,
    accessWatch,
    onError(error, request, caller) {
      // Errors of people with a link are not the organization's.
      if (isVisitor(caller)) return;
      apiErrors.record(error, { requestId: request.id, method: request.method, path: pathOf(request) }, caller);
    },
  };
  const byApiKey = createKeyAuthenticator(authenticator, 'invalid_api_key');
  const byConsoleKey = createKeyAuthenticator(authenticator, 'api_key_revoked_leaked');
  const withRoom = (authenticate: Authenticate) =>
    refuseWritesOnFullDisk(authenticate, () => options.diskRoom.admits('requests'));
  const apis = [
    { ...programsApi(API_ROOT, options.apiRoutes, withRoom(byApiKey)), byHeader: true },
    {
      ...programsApi(SESSION_API_ROOT, options.apiRoutes, withRoom(bySessionOnly(people))),
      ownParameters: ['workspace_id'],
    },
    sharedApi(options.apiRoutes, createShareAuthenticator({ sharing: options.sharing, clientIp: addressOf })),
    consoleApi(options.consoleRoutes, createConsoleAuthenticate(byConsoleKey, people)),
    operatorApi(options.operatorRoutes, createOperatorAuthenticate({ ...options, people, clientIp: addressOf })),
  ];
  for (const api of apis) mountApi(server, api, deps);
  const suggest = createSuggest(API_ROOT, createRouteIndex(options.apiRoutes));
  const errorPages = createErrorPages(siteUrl, (error, context) => apiErrorBody(error, context, '2', suggest));
  mountDocuments(server, { siteUrl, errorPages, limits });
  pages.mount(server);
  mountPackages(server, {
    siteUrl,
    packages: options.packages,
    limits,
    rateLimits: options.rateLimits,
    clientIp: addressOf,
  });
  mountOperations(server, {
    siteUrl,
    clock,
    ready: options.ready,
    awaitedHosts: options.awaitedHosts,
    objectsAway: options.objectsAway,
    isStopping: options.isStopping,
    failure: options.failure,
    process: options.processes.record,
    degradations: allDegradations(options.degradations ?? []),
    metrics: options.metrics,
    operatorToken: options.operatorToken,
    clientIp: addressOf,
  });
  options.mount?.(server);
  return server;
}
