// The composition root: makes every part of the control plane and hands each what it needs, nothing more.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import { createApiKeys } from '../access/app/api-keys.js';
import { createFirstOwner } from '../access/app/first-owner.js';
import { createLeakedKeys } from '../access/app/leaked-keys.js';
import { createNotices, notify } from '../access/app/notices.js';
import { createOrganizations } from '../access/app/organizations.js';
import { createPasswords } from '../access/app/passwords.js';
import { createSessions } from '../access/app/sessions.js';
import { createUsers } from '../access/app/users.js';
import { createSessionAnswer } from '../access/http/runner-session-answer.js';
import { createSessionCookie } from '../access/http/session-cookie.js';
import { createSignInThrottle } from '../access/http/sign-in-throttle.js';
import { createSecretScanningKeys } from '../access/outbound/secret-scanning-keys.js';
import { createMailDelivery } from '../access/workers/mail-delivery.js';
import { createSessionPurge } from '../access/workers/session-purge.js';
import { createOperatorRoutes } from '../admin/http/routes.js';
import { createServedCommands } from '../admin/serve.js';
import { createAdminService } from '../admin/service.js';
import { createArtifacts } from '../builds/app/artifacts.js';
import { createFiles } from '../builds/app/files.js';
import { createSecrets } from '../builds/app/secrets.js';
import type { CodeHosts } from '../builds/domain/source.js';
import { createFsBuildLogs } from '../builds/logs/fs-build-logs.js';
import { createArtifactRetention } from '../builds/workers/artifact-retention.js';
import { createOrphanSweep } from '../builds/workers/orphan-sweep.js';
import type { Config } from '../config.js';
import { dataFolder, openServiceKeys } from '../data-folder.js';
import { openStatusApi, type StatusApi } from '../events/code-hosts/open.js';
import { diskDegradations, hostDiskDegradations } from '../hosts/app/disk-degradations.js';
import { createHosts } from '../hosts/app/hosts.js';
import { createJobs } from '../macs/app/jobs.js';
import { createTiers } from '../macs/app/tiers.js';
import { requestRefund } from '../payments/app/refunds.js';
import { createApiErrors } from '../platform/app/api-errors.js';
import { createIdempotency } from '../platform/app/idempotency.js';
import { createVault } from '../platform/app/vault.js';
import { openContents } from '../platform/blobs/contents.js';
import { createDiskRoom } from '../platform/blobs/disk-room.js';
import type { Limits } from '../platform/domain/limits.js';
import { createMetrics } from '../platform/http/metrics.js';
import { createRateLimiter } from '../platform/http/rate-limit.js';
import type { AllowedReceivers } from '../platform/outbound/allowed-receivers.js';
import { createSmtp } from '../platform/outbound/mail.js';
import { createPublicFetch } from '../platform/outbound/public-fetch.js';
import { createPublicResolver } from '../platform/outbound/resolve-host.js';
import type { Store } from '../platform/store/sql.js';
import { createWake } from '../platform/wake.js';
import { createIdempotencyPurge } from '../platform/workers/idempotency-purge.js';
import { createAvailabilityAudit } from '../renting/app/availability-audit.js';
import { createCatalog } from '../renting/app/catalog.js';
import type { OrderChangeDeps } from '../renting/app/order-changes.js';
import { createStock } from '../renting/app/stock.js';
import { createAvailabilityAuditWorker } from '../renting/workers/availability-audit.js';
import { createCensus } from '../start/app/census.js';
import { createStart } from '../start/app/start.js';
import { secretDegradations } from '../start/app/unreadable-secrets.js';
import { createUploads } from '../uploads/app/uploads.js';
import { createBlobGc } from '../uploads/workers/blob-gc.js';
import { createUploadExpiry } from '../uploads/workers/upload-expiry.js';
import { composeBuilds } from './builds.js';
import { composeWebhooks } from './events.js';
import { createAgentRoutes } from './http/agent-routes.js';
import { createRunnerRoutes } from './http/runner-routes.js';
import { buildServer } from './http/server.js';
import { composePayments } from './payments.js';
import { composeRenting } from './renting.js';

export interface CompositionOptions {
  /** Folder of everything that is kept; the database in it is already open and migrated. */
  data: string;
  store: Store;
  siteUrl: string;
  limits: Limits;
  trustedProxies: readonly string[];
  operatorToken: string | null;
  codeHosts: CodeHosts;
  scanningKeysUrl: string;
  /** Null: no mail is sent. */
  mail: Config['mail'];
  payments: Config['payments'];
  /** Receivers of webhooks on this machine are allowed (test clock). */
  allowLoopback: boolean;
  allowedReceivers: AllowedReceivers;
  /** Null: no statuses of commits are written. */
  statusApi: StatusApi | null;
  clock: Clock;
  /** What follows networks and people's patience, not the test clock. */
  realClock: Clock;
  log: Log;
  site?: (server: FastifyInstance) => void;
}

const OPEN_LOGS = 256;

export type Composition = Awaited<ReturnType<typeof compose>>;

/**
 * Makes every part; nothing listens and no worker runs yet.
 *
 * @example const parts = await compose({ data, store, siteUrl, … }); await parts.server.listen({ port: 8460 });
 */
export async function compose(options: CompositionOptions) {
  const { data, store, siteUrl, limits, codeHosts, clock, realClock, log } = options;
  const folder = (name: string) => {
    const path = join(data, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const site = { siteUrl };
  const wake = createWake(realClock);
  const { keyFile } = dataFolder(data);
  const keys = openServiceKeys(keyFile, () =>
    log.warn({ path: keyFile }, 'the key file was removed; it has been written again'),
  );
  const vault = createVault(keys);
  const logs = createFsBuildLogs({
    root: folder('logs'),
    maxOpen: OPEN_LOGS,
    filterBytes: limits.log_filter_bytes,
    // Hosts leave out the middle of a long log; this bound is for one that does not.
    maxBytes: 2 * (limits.log_bytes + limits.log_tail_bytes),
    onAppend: (buildId) => wake.wake('build-log', buildId),
  });
  const room = createDiskRoom(data, { reserveBytes: limits.disk_reserve_bytes, clock: realClock });
  const contents = await openContents(folder('contents'), {
    room,
    onDamaged: (path, error) =>
      log.error({ err: error, path }, 'a file of small contents is damaged: what it holds is not collected'),
  });

  // Accounts and access.
  const organizations = createOrganizations({ store, clock });
  const passwords = createPasswords(limits);
  const users = createUsers({ store, clock, passwords });
  const sessions = createSessions({ store, clock, limits, passwords, log });
  const firstOwner = createFirstOwner({ store, clock, limits, passwords, sessions, organizations });
  const tiers = createTiers({ store, clock, wake, limits });
  const apiKeys = createApiKeys({ store, clock, realClock, log });
  const apiErrors = createApiErrors({ store, clock, realClock, limits, log });
  const idempotency = createIdempotency({ store, clock, vault, limits });
  const secrets = createSecrets({ store, clock, vault, limits });
  const scanningKeys = createSecretScanningKeys(options.scanningKeysUrl, clock);
  const { mail } = options;
  const send = mail && createSmtp({ url: mail.smtpUrl, from: mail.from, timeoutMs: limits.mail_timeout_ms });
  const notifyDeps = { clock, wake, mail: mail !== null };
  const leakedKeys = createLeakedKeys({ apiKeys, scanningKeys, notices: notifyDeps, log });
  const notices = createNotices({ store });
  const stock = createStock();
  const catalog = createCatalog({ store, clock, limits, stock });

  // Uploads, builds, Macs.
  const uploads = createUploads({ store, clock, realClock, limits, contents, room });
  const artifacts = createArtifacts({ store, clock, limits, contents, vault });
  const files = createFiles({ store, clock, limits, contents, artifacts });
  const hosts = createHosts({ store, clock, wake, limits });
  const publicFetch = createPublicFetch({
    rules: { allowLoopback: options.allowLoopback, allowed: options.allowedReceivers },
    resolve: createPublicResolver({ timeoutMs: limits.webhook_lookup_ms }),
    timeoutMs: limits.webhook_timeout_ms,
    bodyBytes: limits.webhook_response_bytes,
  });
  const { statusApi } = options;
  const { webhooks, deliveries, commitStatuses, ...outgoing } = composeWebhooks({
    ...{ store, clock, realClock, wake, site, limits, codeHosts, vault, secrets, publicFetch, log },
    codeHost:
      statusApi && openStatusApi(statusApi, { timeoutMs: limits.commit_status_timeout_ms, clock: realClock }),
  });
  const work = composeBuilds({
    ...{ store, clock, realClock, wake, site, limits, codeHosts, logs, hosts, stock, log },
    notifyUrlProblem: publicFetch.problem,
    seal: vault.pack,
    settleUpload: uploads.settle,
    claimUpload: uploads.claim,
    secretsFor: secrets.reveal,
    uploadSource: uploads.find,
    onCommitKnown: commitStatuses.commitKnown,
  });
  const {
    builds,
    submit,
    buildLog,
    logLines,
    failureReports,
    buildViewing,
    queue,
    status,
    maintenance,
    runs,
    rentals,
  } = work;
  const { reportedMacs } = work;
  const audit = createAvailabilityAudit({ store, clock, realClock, stock, reportedMacs, limits, log });
  const orderDeps: OrderChangeDeps = {
    ...{ clock, wake, stock },
    requestRefund: (tx, refund) => requestRefund(tx, { clock, wake }, refund),
    notify: (tx, notice) => notify(tx, notifyDeps, notice),
  };
  const renting = composeRenting({ ...orderDeps, store, realClock, limits, mail: mail !== null });
  const paying = composePayments({
    ...{ ...orderDeps, store, limits, site, log, mail: mail !== null },
    settings: options.payments,
  });
  const { quotes, orders, extensions, rentedMacs, waitlist } = renting;

  const rateLimiter = createRateLimiter(clock, limits.requests_per_minute);
  const cookie = createSessionCookie(siteUrl);
  const runnerRoutes = createRunnerRoutes({
    ...{ siteUrl, limits, clock, leakedKeys, files, sessions, cookie, notices, apiKeys },
    throttle: createSignInThrottle({ clock, limits, sessions }),
    sessionAnswer: createSessionAnswer({ sessions, cookie, clock, limits }),
    firstOwner,
    ...{ site, payments: paying.payments, paymentWebhooks: paying.paymentWebhooks },
  });
  const server = buildServer({
    siteUrl,
    paymentWindow: options.payments.provider === 'portone',
    limits,
    trustedProxies: options.trustedProxies,
    agentRoutes: createAgentRoutes({
      runnerRoutes,
      ...{ siteUrl, site, limits, rateLimiter, clock, catalog, secrets, apiErrors },
      ...{ uploads, builds, submit, buildLog, logLines, failureReports, queue, status, maintenance },
      ...{ quotes, orders, extensions, rentedMacs, waitlist },
      ...{ webhooks, deliveries },
      jobs: createJobs({ store }),
      start: createStart({ store, clock, site, catalog }),
    }),
    runnerRoutes,
    operatorRoutes: createOperatorRoutes({
      siteUrl,
      operatorToken: options.operatorToken,
      runCommand: createServedCommands(createAdminService({ store, keyFile, wake, clock })),
    }),
    apiKeys,
    sessions,
    cookie,
    files,
    buildViewing,
    idempotency,
    apiErrors,
    rateLimiter,
    metrics: createMetrics([...createCensus({ store }), ...outgoing.census, ...audit.census]),
    operatorToken: options.operatorToken,
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
    ],
    clock,
    log,
    ...(options.site ? { site: options.site } : {}),
  });

  return {
    server,
    workers: [
      ...work.workers,
      ...outgoing.workers,
      ...renting.workers,
      ...paying.workers,
      createUploadExpiry({ store, clock, limits, contents }),
      createBlobGc({ store, clock, limits, contents }),
      createOrphanSweep({ store, realClock, contents }),
      createArtifactRetention({ artifacts, limits }),
      createIdempotencyPurge({ store, clock, limits }),
      createSessionPurge({ store, clock, limits }),
      ...(send ? [createMailDelivery({ store, clock, limits, send, log })] : []),
    ],
    /** These follow real time, however fast the test clock moves. */
    realTimeWorkers: [createAvailabilityAuditWorker({ audit, limits })],
    wake,
    publicFetch,
    organizations,
    users,
    sessions,
    firstOwner,
    tiers,
    apiKeys,
    apiErrors,
    secrets,
    hosts,
    rentals,
    runs,
    uploads,
    artifacts,
    files,
    logs,
  };
}
