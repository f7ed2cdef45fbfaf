// A whole service in this process, on a database file of its own and a clock that stands still. Every answer of
// both families is checked against the OpenAPI document; a test that gets an undeclared one fails.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import type { Test } from 'tap';
import type { z } from 'zod';
import { type ApiKeys, createApiKeys } from '../../control-plane/access/app/api-keys.js';
import { createFirstOwner, type FirstOwner } from '../../control-plane/access/app/first-owner.js';
import { createLeakedKeys } from '../../control-plane/access/app/leaked-keys.js';
import { createNotices, type NewNotice, notify } from '../../control-plane/access/app/notices.js';
import {
  createOrganizations,
  type NewOrganization,
  type Organizations,
} from '../../control-plane/access/app/organizations.js';
import { createPasswords } from '../../control-plane/access/app/passwords.js';
import { createSessions, type Sessions } from '../../control-plane/access/app/sessions.js';
import { createUsers, type Users } from '../../control-plane/access/app/users.js';
import { createSessionAnswer } from '../../control-plane/access/http/runner-session-answer.js';
import { createSessionCookie } from '../../control-plane/access/http/session-cookie.js';
import { createSignInThrottle } from '../../control-plane/access/http/sign-in-throttle.js';
import { createSecretScanningKeys } from '../../control-plane/access/outbound/secret-scanning-keys.js';
import { createMailDelivery } from '../../control-plane/access/workers/mail-delivery.js';
import { createOperatorRoutes } from '../../control-plane/admin/http/routes.js';
import { createServedCommands } from '../../control-plane/admin/serve.js';
import { createAdminService } from '../../control-plane/admin/service.js';
import { type Artifacts, createArtifacts } from '../../control-plane/builds/app/artifacts.js';
import { createFiles } from '../../control-plane/builds/app/files.js';
import { createSecrets, type Secrets } from '../../control-plane/builds/app/secrets.js';
import { defaultCodeHosts } from '../../control-plane/builds/domain/source.js';
import { createFsBuildLogs } from '../../control-plane/builds/logs/fs-build-logs.js';
import { type BuildServices, composeBuilds } from '../../control-plane/compose/builds.js';
import { composeWebhooks } from '../../control-plane/compose/events.js';
import { createAgentRoutes } from '../../control-plane/compose/http/agent-routes.js';
import { createRunnerRoutes } from '../../control-plane/compose/http/runner-routes.js';
import {
  AGENT_ROOT,
  buildServer,
  OPERATOR_ROOT,
  RUNNER_ROOT,
} from '../../control-plane/compose/http/server.js';
import { composePayments } from '../../control-plane/compose/payments.js';
import { composeRenting, type RentingServices } from '../../control-plane/compose/renting.js';
import { openStatusApi, type StatusApi } from '../../control-plane/events/code-hosts/open.js';
import { diskDegradations, hostDiskDegradations } from '../../control-plane/hosts/app/disk-degradations.js';
import { createHosts, type Hosts } from '../../control-plane/hosts/app/hosts.js';
import { createJobs } from '../../control-plane/macs/app/jobs.js';
import { requestRefund } from '../../control-plane/payments/app/refunds.js';
import { defaultConsentText } from '../../control-plane/payments/domain/consent.js';
import type { PaymentSettings } from '../../control-plane/payments/providers/providers.js';
import { type ApiErrors, createApiErrors } from '../../control-plane/platform/app/api-errors.js';
import { createIdempotency } from '../../control-plane/platform/app/idempotency.js';
import { createVault } from '../../control-plane/platform/app/vault.js';
import { type Contents, openContents } from '../../control-plane/platform/blobs/contents.js';
import { createDiskRoom } from '../../control-plane/platform/blobs/disk-room.js';
import type { Level } from '../../control-plane/platform/domain/caller.js';
import type { DegradationSource } from '../../control-plane/platform/domain/degradation.js';
import { defaultLimits, type Limits } from '../../control-plane/platform/domain/limits.js';
import type { Role } from '../../control-plane/platform/domain/role.js';
import { agentCodes, agentError } from '../../control-plane/platform/http/agent-envelope.js';
import { createMetrics } from '../../control-plane/platform/http/metrics.js';
import { openApiDocument } from '../../control-plane/platform/http/openapi.js';
import { createRateLimiter } from '../../control-plane/platform/http/rate-limit.js';
import type { LeveledRoute } from '../../control-plane/platform/http/route.js';
import { runnerCodes, runnerError } from '../../control-plane/platform/http/runner-envelope.js';
import type { ClassCodes } from '../../control-plane/platform/http/validation.js';
import { noAllowedReceivers } from '../../control-plane/platform/outbound/allowed-receivers.js';
import { createSmtp } from '../../control-plane/platform/outbound/mail.js';
import { createPublicFetch } from '../../control-plane/platform/outbound/public-fetch.js';
import { openKeyFile } from '../../control-plane/platform/store/key-file.js';
import type { Store, Transaction } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { createWake, type Wake } from '../../control-plane/platform/wake.js';
import { type RunningWorkers, runWorkers } from '../../control-plane/platform/workers/run-workers.js';
import {
  type AvailabilityAudit,
  createAvailabilityAudit,
} from '../../control-plane/renting/app/availability-audit.js';
import { createCatalog } from '../../control-plane/renting/app/catalog.js';
import type { OrderChangeDeps, Refund } from '../../control-plane/renting/app/order-changes.js';
import { createStock } from '../../control-plane/renting/app/stock.js';
import { createCensus } from '../../control-plane/start/app/census.js';
import { createStart } from '../../control-plane/start/app/start.js';
import { secretDegradations } from '../../control-plane/start/app/unreadable-secrets.js';
import { createUploads, type Uploads } from '../../control-plane/uploads/app/uploads.js';
import { type AdvancingClock, type Clock, createAdvancingClock, systemClock } from '../../shared/clock.js';
import { type Conformance, createConformance } from './conformance.js';
import { putMigratedDatabase } from './migrated-database.js';

/** What the console’s address of family A answers besides, because it takes sessions. */
const ofSessions = ['session_required', 'console_only', 'insufficient_permission', 'forbidden'] as const;

export interface HarnessOptions {
  /** A slow or a broken disk. Without it none is waited for, so that what a timer starts ends before the next one. */
  disk?: Parameters<typeof openSqlite>[1];
  /** Default: the sandbox. */
  payments?: Partial<PaymentSettings>;
  /** A mail server; without one notices stand in the console only. */
  smtpUrl?: string;
  /** Default: plain http. */
  siteUrl?: string;
  limits?: Partial<Limits>;
  /** An empty folder, e.g. on a small disk; removed at the end. Default: a new one. */
  data?: string;
  trustedProxies?: readonly string[];
  operatorToken?: string;
  /** Paces the cache of keys; without it every request looks whether another process has changed one. */
  cacheClock?: Clock;
  /** Hears the service's own log, line by line; silent otherwise. */
  log?: (line: string) => void;
  /** Webhooks are delivered, and receivers on this machine are allowed. */
  receivers?: boolean;
  /** Where statuses of commits are written; nowhere by default. */
  statusApi?: StatusApi;
  /** Where the public keys of secret scanning are. */
  scanningKeysUrl?: string;
  /** Further routes of family A, e.g. to see how the server treats a handler that fails. */
  extraRoutes?: (service: { store: Store; wake: Wake }) => readonly LeveledRoute[];
  extraRunnerRoutes?: () => readonly LeveledRoute[];
  /** Further entries of /healthz. */
  degradations?: readonly DegradationSource[];
}

export interface CallOptions {
  /** Null: no Authorization header. Default: the key with every level. */
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Harness {
  readonly server: FastifyInstance;
  readonly store: Store;
  readonly clock: AdvancingClock;
  readonly wake: Wake;
  readonly limits: Limits;
  readonly organizations: Organizations;
  readonly apiKeys: ApiKeys;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly firstOwner: FirstOwner;
  readonly secrets: Secrets;
  readonly apiErrors: ApiErrors;
  readonly hosts: Hosts;
  readonly services: BuildServices;
  readonly renting: RentingServices;
  readonly audit: AvailabilityAudit;
  /** Has the availability audit run when the service is closed; it must find nothing then. */
  auditOnClose(): void;
  /** What order changes need, for tests that pay as the payment part does. */
  readonly orderDeps: OrderChangeDeps;
  /** Refunds that were asked for. */
  readonly refunds: readonly Refund[];
  /** The workers of builds and renting; they follow `clock`. */
  readonly workers: RunningWorkers;
  readonly contents: Contents;
  readonly uploads: Uploads;
  readonly artifacts: Artifacts;
  /** The folder that holds the database and the key file. */
  readonly data: string;
  readonly siteUrl: string;
  readonly org: NewOrganization;
  /** A second account, to which nothing of the first may show. */
  readonly other: NewOrganization & { readonly key: string };
  readonly keys: Readonly<Record<'all' | Level, string>>;
  readonly agent: { routes: readonly LeveledRoute[]; conformance: Conformance };
  readonly runner: { routes: readonly LeveledRoute[]; conformance: Conformance };
  readonly operator: { routes: readonly LeveledRoute[]; conformance: Conformance };
  /** Makes a person and signs them in: the value of their Cookie header. */
  signIn(
    role: Role,
    options?: { org?: NewOrganization; email?: string; operator?: boolean },
  ): Promise<string>;
  createKey(levels: readonly Level[], options?: { cidrs?: string[]; expiresAt?: number }): Promise<string>;
  /** Sends a request; `path` is whole, from the site's root. Throws when the answer is not a declared one. */
  inject(options: InjectOptions): Promise<LightMyRequestResponse>;
  /** Family A: `path` is below base_url, errors come in format 2. */
  call(method: string, path: string, options?: CallOptions): Promise<LightMyRequestResponse>;
  /** Family B: `path` is below runner_url. */
  callRunner(method: string, path: string, options?: CallOptions): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

/** Of everybody whom the harness signs in. */
export const PASSWORD = 'correct horse battery';
export const SENDER = 'Cidermill <macs@cidermill.test>';
export const START = Date.parse('2026-03-01T09:00:00.000Z');

/** Starts it and closes it with the test. */
export async function startHarness(t: Test, options: HarnessOptions = {}): Promise<Harness> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'cidermill-api-'));
  const { siteUrl = 'http://cidermill.test' } = options;
  const limits: Limits = {
    ...defaultLimits,
    requests_per_minute: 1_000_000,
    // No real time passes for builds that nobody runs.
    stall_confirm_ms: 0,
    // Each minute of the months that tests advance tells nothing more.
    audit_every_ms: 24 * 3_600_000,
    ...options.limits,
  };
  const clock = createAdvancingClock({ start: START });
  const { log: hear } = options;
  const log = hear ? pino({ level: 'debug' }, { write: hear }) : pino({ level: 'silent' });
  await putMigratedDatabase(join(data, 'cidermill.db'));
  const store = openSqlite(join(data, 'cidermill.db'), {
    ...(options.disk ?? { dataSync: async () => undefined }),
    oneTurn: true,
  });
  const wake = createWake(systemClock);
  const vault = createVault(openKeyFile(join(data, 'secret.key')));
  const organizations = createOrganizations({ store, clock });
  // Each look at this clock is later than the last, so what other processes change is seen by the next request.
  let looks = 0;
  const restless: Clock = { ...systemClock, now: () => ++looks * 1_000 };
  const apiKeys = createApiKeys({ store, clock, realClock: options.cacheClock ?? restless, log });
  const apiErrors = createApiErrors({ store, clock, realClock: systemClock, limits, log });
  const idempotency = createIdempotency({ store, clock, vault, limits });
  const rateLimiter = createRateLimiter(clock, limits.requests_per_minute);
  const passwords = createPasswords(limits);
  const users = createUsers({ store, clock, passwords });
  const sessions = createSessions({ store, clock, limits, passwords, log });
  const firstOwner = createFirstOwner({ store, clock, limits, passwords, sessions, organizations });
  const cookie = createSessionCookie(siteUrl);

  const stock = createStock();
  const catalog = createCatalog({ store, clock, limits, stock });
  const secrets = createSecrets({ store, clock, vault, limits });
  const hosts = createHosts({ store, clock, wake, limits });
  const logs = createFsBuildLogs({
    root: join(data, 'logs'),
    maxOpen: 16,
    maxBytes: 2 * limits.log_bytes,
    filterBytes: limits.log_filter_bytes,
    onAppend: (buildId) => wake.wake('build-log', buildId),
  });
  const room = createDiskRoom(data, { reserveBytes: limits.disk_reserve_bytes, clock: restless });
  const contents = await openContents(join(data, 'contents'), { room });
  const uploads = createUploads({ store, clock, realClock: systemClock, limits, contents, room });
  const publicFetch = createPublicFetch({
    rules: { allowLoopback: options.receivers === true, allowed: noAllowedReceivers },
    // No name service is asked: one name is known, and it is public.
    resolve: async (host) => {
      if (host === 'hooks.example.com') return ['93.184.216.34'];
      throw new Error('ENOTFOUND');
    },
    timeoutMs: limits.webhook_timeout_ms,
    bodyBytes: limits.webhook_response_bytes,
  });
  const outgoing = composeWebhooks({
    ...{ store, clock, realClock: systemClock, wake, limits, site: { siteUrl }, codeHosts: defaultCodeHosts },
    ...{ vault, secrets, publicFetch, log },
    codeHost: options.statusApi
      ? openStatusApi(options.statusApi, { timeoutMs: limits.commit_status_timeout_ms, clock: systemClock })
      : null,
  });
  const services = composeBuilds({
    log,
    store,
    clock,
    realClock: systemClock,
    wake,
    limits,
    site: { siteUrl },
    logs,
    hosts,
    stock,
    codeHosts: defaultCodeHosts,
    notifyUrlProblem: publicFetch.problem,
    seal: vault.pack,
    secretsFor: secrets.reveal,
    claimUpload: uploads.claim,
    settleUpload: uploads.settle,
    uploadSource: uploads.find,
    onCommitKnown: outgoing.commitStatuses.commitKnown,
  });
  const { reportedMacs } = services;
  const audit = createAvailabilityAudit({
    ...{ store, clock, realClock: clock, stock, reportedMacs, limits, log },
  });
  const refunds: Refund[] = [];
  const rentingDeps = {
    ...{ store, clock, realClock: systemClock, wake, limits, stock, mail: options.smtpUrl !== undefined },
    requestRefund: async (tx: Transaction, refund: Refund) => {
      refunds.push(refund);
      await requestRefund(tx, { clock, wake }, refund);
    },
    notify: (tx: Transaction, notice: NewNotice) =>
      notify(tx, { clock, wake, mail: options.smtpUrl !== undefined }, notice),
  };
  const renting = composeRenting(rentingDeps);
  const paying = composePayments({
    ...{ ...rentingDeps, site: { siteUrl }, log },
    settings: { provider: 'sandbox', portone: null, consentText: defaultConsentText, ...options.payments },
  });
  const leakedKeys = createLeakedKeys({
    apiKeys,
    scanningKeys: createSecretScanningKeys(options.scanningKeysUrl ?? 'http://127.0.0.1:9/', clock),
    notices: { clock, wake, mail: options.smtpUrl !== undefined },
    log,
  });

  const artifacts = createArtifacts({ store, clock, limits, contents, vault });
  const files = createFiles({ store, clock, limits, contents, artifacts });

  const runnerRoutes = [
    ...createRunnerRoutes({
      ...{ siteUrl, limits, clock, leakedKeys, files, sessions, cookie, apiKeys },
      notices: createNotices({ store }),
      throttle: createSignInThrottle({ clock, limits, sessions }),
      sessionAnswer: createSessionAnswer({ sessions, cookie, clock, limits }),
      firstOwner,
      ...{ site: { siteUrl }, payments: paying.payments, paymentWebhooks: paying.paymentWebhooks },
    }),
    ...(options.extraRunnerRoutes?.() ?? []),
  ];
  const agentRoutes = [
    ...createAgentRoutes({
      runnerRoutes,
      webhooks: outgoing.webhooks,
      deliveries: outgoing.deliveries,
      siteUrl,
      limits,
      rateLimiter,
      clock,
      catalog,
      secrets,
      apiErrors,
      ...services,
      ...renting,
      site: { siteUrl },
      uploads,
      jobs: createJobs({ store }),
      start: createStart({ store, clock, site: { siteUrl }, catalog }),
    }),
    ...(options.extraRoutes?.({ store, wake }) ?? []),
  ];
  const adminService = createAdminService({ store, keyFile: join(data, 'secret.key'), wake, clock });
  const operatorRoutes = createOperatorRoutes({
    siteUrl,
    operatorToken: options.operatorToken ?? null,
    runCommand: createServedCommands(adminService),
  });
  const server = buildServer({
    siteUrl,
    paymentWindow: options.payments?.provider === 'portone',
    limits,
    trustedProxies: options.trustedProxies ?? [],
    agentRoutes,
    runnerRoutes,
    operatorRoutes,
    apiKeys,
    sessions,
    cookie,
    files,
    buildViewing: services.buildViewing,
    idempotency,
    apiErrors,
    rateLimiter,
    metrics: createMetrics([...createCensus({ store }), ...outgoing.census, ...audit.census]),
    operatorToken: options.operatorToken ?? null,
    awaitedHosts: hosts.awaited,
    ready: async () => {
      await store.get('SELECT 1');
      await store.durable();
    },
    failure: store.failure,
    degradations: [
      audit.degradations,
      () => secretDegradations({ store, vault }),
      () => diskDegradations(room),
      () => hostDiskDegradations(store),
      ...(options.degradations ?? []),
    ],
    clock,
    log,
  });
  await server.ready();
  const { smtpUrl } = options;
  const send = smtpUrl === undefined ? null : createSmtp({ url: smtpUrl, from: SENDER, timeoutMs: 5_000 });
  const mailers = send ? [createMailDelivery({ store, clock, limits, send, log })] : [];
  const workers = runWorkers({
    workers: [
      ...services.workers,
      ...renting.workers,
      ...paying.workers,
      ...mailers,
      ...(options.receivers || options.statusApi ? outgoing.workers : []),
    ],
    wake,
    clock,
    log,
  });

  const org = await organizations.create({ name: 'Apple Press' });
  const other = await organizations.create({ name: 'Other Mill' });
  const keyOf = async ({ id, workspaceId }: NewOrganization, levels: readonly Level[]) =>
    (await apiKeys.create({ accountId: id, workspaceId, name: levels.join('+'), levels })).key;
  const every: readonly Level[] = ['read', 'build', 'manage'];
  const keys = {
    all: await keyOf(org, every),
    read: await keyOf(org, ['read']),
    build: await keyOf(org, ['build']),
    manage: await keyOf(org, ['manage']),
  };

  // Routes of a test's own are in no other harness's document.
  const usual = !options.extraRoutes && !options.extraRunnerRoutes;
  const conformance = (
    routes: readonly LeveledRoute[],
    root: string,
    error: z.ZodType,
    codes: ClassCodes,
  ) => {
    const url = siteUrl + root;
    const webhooks = root === AGENT_ROOT;
    const paths = routes.map(({ method, path }) => `${method} ${path}`);
    return createConformance(
      () => openApiDocument(routes, { title: 'under test', url, error, codes, webhooks }),
      root,
      usual ? [url, ...paths].join() : null,
    );
  };
  const agent = conformance(agentRoutes, AGENT_ROOT, agentError, agentCodes);
  const operator = conformance(operatorRoutes, OPERATOR_ROOT, runnerError, runnerCodes);
  const runner = conformance(runnerRoutes, RUNNER_ROOT, runnerError, runnerCodes);

  const inject = async (request: InjectOptions) => {
    const answer = await server.inject(request);
    const url = String(request.url);
    const console = /^\/api\/runner\/v1\/organizations\/[^/]+\/agent(?=\/)/.exec(url)?.[0];
    // Family A in the console is the same table at another address.
    const described = console === undefined ? url : AGENT_ROOT + url.slice(console.length);
    // Every address of it can be missing, because the organization can.
    if (console !== undefined && answer.statusCode === 404) return answer;
    const family = described.startsWith(`${AGENT_ROOT}/`)
      ? agent
      : url.startsWith(`${RUNNER_ROOT}/`)
        ? runner
        : url.startsWith(`${OPERATOR_ROOT}/`)
          ? operator
          : null;
    const also = console === undefined ? [] : ofSessions;
    const wrong = family?.check(request.method ?? 'GET', described, answer, also) ?? null;
    if (wrong !== null) throw new Error(wrong);
    return answer;
  };
  const call =
    (prefix: string) =>
    (method: string, path: string, { key = keys.all, body, headers = {} }: CallOptions = {}) =>
      inject({
        method: method as 'GET',
        url: prefix + path,
        headers: {
          'service-error-format': '2',
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });

  let audited = false;
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    const differences = audited ? await audit.run() : [];
    wake.close();
    await server.close();
    await workers.stop();
    await publicFetch.close();
    await logs.close();
    await apiErrors.close();
    await apiKeys.close();
    await sessions.close();
    await store.close();
    rmSync(data, { recursive: true, force: true });
    if (differences.length > 0) throw new Error(differences.map(({ message }) => message).join('\n'));
  };
  t.teardown(close);

  return {
    server,
    store,
    clock,
    wake,
    limits,
    organizations,
    apiKeys,
    users,
    sessions,
    firstOwner,
    secrets,
    apiErrors,
    hosts,
    services,
    renting,
    audit,
    auditOnClose() {
      audited = true;
    },
    orderDeps: rentingDeps,
    refunds,
    workers,
    contents,
    uploads,
    artifacts,
    data,
    siteUrl,
    org,
    other: { ...other, key: await keyOf(other, every) },
    keys,
    agent: { routes: agentRoutes, conformance: agent },
    runner: { routes: runnerRoutes, conformance: runner },
    operator: { routes: operatorRoutes, conformance: operator },
    async signIn(
      role,
      { org: place = org, email = `${role}-${place.id}@example.com`, operator = false } = {},
    ) {
      await users.create({ email, password: PASSWORD, operator, membership: { accountId: place.id, role } });
      const answer = await inject({
        method: 'POST',
        url: `${RUNNER_ROOT}/v1/session`,
        payload: { email, password: PASSWORD },
      });
      return String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
    },
    async createKey(levels, { cidrs, expiresAt } = {}) {
      const { key } = await apiKeys.create({
        accountId: org.id,
        workspaceId: org.workspaceId,
        name: levels.join('+'),
        levels,
        ...(cidrs ? { cidrs } : {}),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
      return key;
    },
    inject,
    call: call(AGENT_ROOT),
    callRunner: call(RUNNER_ROOT),
    close,
  };
}
