// A whole service in this process, with a new database file and a clock that tests advance. Every response of
// both APIs is checked against the OpenAPI document; an undeclared one fails the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Test } from 'tap';
import type { NewOrganization } from '../../control-plane/access/app/organizations.js';
import type { PasswordCost } from '../../control-plane/access/app/passwords.js';
import { compose } from '../../control-plane/compose/compose.js';
import type { Platform } from '../../control-plane/compose/platform.js';
import { type Config, readConfig } from '../../control-plane/config.js';
import type { PaymentConfig } from '../../control-plane/payment-config.js';
import type { ListedContentStore } from '../../control-plane/platform/blobs/content-store.js';
import type { Contents } from '../../control-plane/platform/blobs/contents.js';
import { createDiskRoom } from '../../control-plane/platform/blobs/disk-room.js';
import type { ObjectStore } from '../../control-plane/platform/blobs/object-store.js';
import { CONSOLE_ROOT } from '../../control-plane/platform/domain/addresses.js';
import type { Level } from '../../control-plane/platform/domain/caller.js';
import type { DegradationSource } from '../../control-plane/platform/domain/degradation.js';
import type { Limits } from '../../control-plane/platform/domain/limits.js';
import type { Role } from '../../control-plane/platform/domain/role.js';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import { noAllowedReceivers } from '../../control-plane/platform/outbound/allowed-receivers.js';
import { createPublicFetch } from '../../control-plane/platform/outbound/public-fetch.js';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import type { Worker } from '../../control-plane/platform/workers/worker.js';
import type { Refund } from '../../control-plane/renting/app/order-changes.js';
import { type Clock, createAdvancingClock, systemClock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import { createCheckedCalls } from './checked-calls.js';
import { putMigratedDatabase } from './migrated-database.js';
import { dropTestDatabase, onPostgres, openTestDatabase } from './postgres-database.js';
import { refuseScans } from './refuse-scans.js';

export type { CallOptions } from './checked-calls.js';

export interface HarnessOptions {
  /** `sqlite`: also in a run on PostgreSQL. Default: the database of the run. */
  database?: 'sqlite';
  /** A slow or broken disk. Default: no wait for disk syncs, so that work started by a timer ends before the next timer. */
  disk?: Parameters<typeof openSqlite>[1];
  /** Default: the sandbox. */
  payments?: Partial<PaymentConfig>;
  /** A mail server. Default: none, notices are shown in the console only. */
  smtpUrl?: string;
  /** Where operators get notices. Default: nowhere. They are written only with `receivers`. */
  operatorNotices?: Config['operatorNotices'];
  /** Default: plain http. */
  siteUrl?: string;
  limits?: Partial<Limits>;
  /** An empty folder, e.g. on a small disk; removed after the test. Default: a new one. */
  data?: string;
  trustedProxies?: readonly string[];
  /** Where contents are kept. Default: in the data folder. */
  objects?: Config['objects'];
  /** The store of objects. */
  objectStore?: ObjectStore;
  /** Folder of packages. Default: one that does not exist. */
  packages?: string;
  operatorToken?: string;
  /** Receives the service's log, line by line. Default: no log. */
  log?: (line: string) => void;
  /** True: `clock` also replaces the real clock. */
  oneClock?: boolean;
  /** True: webhooks are delivered, and local receivers are allowed. */
  receivers?: boolean;
  /** Default: next to nothing, because a secure hash takes longer than most tests. */
  passwordCost?: PasswordCost;
  /** API to which commit statuses are written. Default: none. */
  statusApi?: Config['statusApi'];
  /** URL of the public keys of secret scanning. */
  scanningKeysUrl?: string;
  /** The identity provider. Default: none. */
  identity?: Config['identity'];
  /** Additional routes of the API, e.g. to test how the server treats a failing handler. */
  extraRoutes?: (service: Pick<Platform, 'store' | 'wake'>) => readonly AnyRoute[];
  extraConsoleRoutes?: () => readonly AnyRoute[];
  /** Additional entries of /healthz. */
  degradations?: readonly DegradationSource[];
}

/** Password of every person whom the harness signs in. */
export const PASSWORD = 'correct horse battery';
export const SENDER = 'Cidermill <macs@cidermill.test>';
export const START = Date.parse('2026-03-01T09:00:00.000Z');

/** Workers of webhooks and commit statuses: they run only in tests that enable them. */
const outgoing = new Set(['event-fanout', 'webhook-delivery', 'commit-status', 'operator-notices', 'operator-webhook']);
/** Workers that follow real time, which the test clock does not control. */
const realTime = new Set(['availability-audit', 'queue-look', 'site-certificate']);

export type Harness = Awaited<ReturnType<typeof startHarness>>;

const SETTLE_MS = 250;
const systemPause = (ms: number) => pause(systemClock, ms);

/** Starts the service and closes it at the end of the test. */
export async function startHarness(t: Test, options: HarnessOptions = {}) {
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'cidermill-api-'));
  const config = configOf(options, data);
  const { limits } = config;
  const { siteUrl = 'http://cidermill.test' } = options;
  // On SQLite what a timer begins ends in the turn of the event loop that the clock waits for. On PostgreSQL it takes longer;
  // some of it waits for the clock, which goes on after a while.
  let idle = async () => {};
  const settled = () => Promise.race([idle(), systemPause(SETTLE_MS)]);
  const postgres = onPostgres() && options.database !== 'sqlite';
  const clock = createAdvancingClock({ start: START, ...(postgres ? { settled } : {}) });
  const store = postgres ? await openTestDatabase(data) : await openTestFile(data, options.disk);
  // This clock advances on every call, so that the free space is measured on each request.
  let looks = 0;
  const restless: Clock = { ...systemClock, monotonic: () => ++looks * 1_000 };
  const { log, extraRoutes, extraConsoleRoutes } = options;
  const extra = new Set<AnyRoute>();
  const composition = {
    config,
    siteUrl,
    clock,
    log: log ? pino({ level: 'debug' }, { write: log }) : pino({ level: 'silent' }),
    ports: {
      ...(options.oneClock ? { realClock: clock } : {}),
      // Runs take no time, so that no worker rests: how busy this machine is changes nothing.
      workersClock: { ...systemClock, monotonic: () => 0 },
      ...(options.objectStore ? { objects: options.objectStore } : {}),
      passwordCost: options.passwordCost ?? { memoryCost: 8, timeCost: 1, parallelism: 1 },
      diskRoom: createDiskRoom(data, { reserveBytes: limits.disk_reserve_bytes, clock: restless }),
      publicFetch: createPublicFetch({
        rules: { allowLoopback: options.receivers === true, allowed: noAllowedReceivers },
        // No DNS: only one name is known, and its address is public.
        resolve: async (host) => {
          if (host === 'hooks.example.com') return ['93.184.216.34'];
          throw new Error('ENOTFOUND');
        },
        timeoutMs: limits.webhook_timeout_ms,
        bodyBytes: limits.webhook_response_bytes,
      }),
    },
    extra(platform: Platform) {
      const [apiRoutes, consoleRoutes] = [extraRoutes?.(platform) ?? [], extraConsoleRoutes?.() ?? []];
      for (const route of [...apiRoutes, ...consoleRoutes]) extra.add(route);
      return { apiRoutes, consoleRoutes, degradations: options.degradations ?? [] };
    },
  };
  const parts = await compose({ ...composition, store });
  const { server, platform, access, renting } = parts;
  await server.ready();
  const sends = options.receivers === true || options.statusApi !== undefined;
  parts.startWorkers(({ name }) => !realTime.has(name) && (sends || !outgoing.has(name)));

  const { organizations, apiKeys, users } = access;
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
  idle = parts.workersIdle;
  const calls = createCheckedCalls({ ...parts, ...(postgres ? { settled } : {}) }, { siteUrl, key: keys.all, extra });

  let audited = false;
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    // A worker that is late, not wrong, is no difference.
    if (audited) await parts.workersIdle();
    const differences = audited ? await renting.audit.run() : [];
    await parts.close();
    await store.close();
    if (postgres) await dropTestDatabase(data);
    rmSync(data, { recursive: true, force: true });
    if (differences.length > 0) throw new Error(differences.map(({ message }) => message).join('\n'));
  };
  t.teardown(close);

  return {
    parts,
    server,
    store,
    clock,
    limits,
    data,
    siteUrl,
    org,
    keys,
    close,
    ...calls,
    organizations,
    apiKeys,
    users,
    sessions: access.sessions,
    firstOwner: access.firstOwner,
    members: access.members,
    invites: access.invites,
    wake: platform.wake,
    apiErrors: platform.apiErrors,
    /** Files, unless the test keeps objects. */
    contents: platform.contents as Contents<ListedContentStore>,
    hosts: parts.hosts.hosts,
    macs: parts.macs.macs,
    rentals: parts.orders.rentals,
    uploads: parts.uploads.uploads,
    runs: parts.builds.runs,
    secrets: parts.builds.secrets,
    artifacts: parts.builds.artifacts,
    auditLog: access.auditLog,
    audit: renting.audit,
    /** Composes a second service of this folder and clock, whose workers do not run, on another database; the test closes it. */
    async beside(other: Store) {
      const second = await compose({ ...composition, store: other });
      await second.server.ready();
      return second;
    },
    /** Runs the availability audit when the service is closed; it must find nothing. */
    auditOnClose() {
      audited = true;
    },
    /** Advances the clock, and waits until the workers have done what is due then. */
    async pass(ms: number) {
      await clock.advance(ms);
      await parts.workersIdle();
    },
    /** Dependencies of order changes, for tests that pay orders directly. */
    orderDeps: parts.orders.changes,
    /** Requested refunds, in order. */
    refunds: () =>
      store.all<Refund>(
        `SELECT order_no AS "orderNo", account_id AS "accountId", amount_won AS "amountWon", reason
         FROM payment_cancellations ORDER BY ${store.dialect === 'sqlite' ? 'rowid' : 'created_at, ctid'}`,
      ),
    workers: {
      idle: parts.workersIdle,
      /** Returns a worker of the service, whether it runs in this test or not. */
      named(name: string): Worker {
        const found = [...parts.workers, ...parts.realTimeWorkers].find((worker) => worker.name === name);
        if (!found) throw new Error(`there is no worker ${name}`);
        return found;
      },
    },
    /** A second account, which must not see anything of the first. */
    other: { ...other, key: await keyOf(other, every) },
    /** Creates a person, signs them in, and returns the value of their Cookie header. */
    async signIn(
      role: Role,
      {
        org: place = org,
        email = `${role}-${place.id}@example.com`,
        operator = false,
        workspaceIds,
      }: { org?: NewOrganization; email?: string; operator?: boolean; workspaceIds?: string[] } = {},
    ): Promise<string> {
      await users.create({
        email,
        password: PASSWORD,
        operator,
        membership: { accountId: place.id, role, workspaceIds },
      });
      const answer = await calls.inject({
        method: 'POST',
        url: `${CONSOLE_ROOT}/v1/session`,
        payload: { email, password: PASSWORD },
      });
      return String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
    },
    async createKey(
      levels: readonly Level[],
      {
        cidrs,
        expiresAt,
        workspaceId = org.workspaceId,
      }: { cidrs?: string[]; expiresAt?: number; workspaceId?: string } = {},
    ): Promise<string> {
      const { key } = await apiKeys.create({
        accountId: org.id,
        workspaceId,
        name: levels.join('+'),
        levels,
        ...(cidrs ? { cidrs } : {}),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
      return key;
    },
  };
}

async function openTestFile(data: string, disk: HarnessOptions['disk']) {
  await putMigratedDatabase(join(data, 'cidermill.db'));
  return openSqlite(join(data, 'cidermill.db'), {
    ...(disk ?? { dataSync: async () => undefined }),
    oneTurn: true,
    checkStatement: await refuseScans(),
  });
}

function configOf(options: HarnessOptions, data: string): Config {
  const { trustedProxies = [], operatorToken = null, smtpUrl, statusApi = null } = options;
  const usual = readConfig(
    {},
    {
      CIDERMILL_PAYMENT_PROVIDER: 'sandbox',
      CIDERMILL_FX_KRW_PER_USD: '1466.40',
    },
  );
  return {
    ...usual,
    data,
    objects: options.objects ?? (process.env.TEST_OBJECTS ? { kind: 'folder', path: join(data, 'objects') } : null),
    packages: options.packages ?? join(data, 'packages'),
    // `npm start` in this folder makes one.
    builtClient: null,
    http: { ...usual.http, trustedProxies, operatorToken },
    identity: options.identity ?? null,
    secretScanningKeysUrl: options.scanningKeysUrl ?? 'http://127.0.0.1:9/',
    mail: smtpUrl === undefined ? null : { smtpUrl, from: SENDER },
    operatorNotices: options.operatorNotices ?? usual.operatorNotices,
    payments: { ...usual.payments, ...options.payments },
    statusApi,
    limits: {
      ...usual.limits,
      requests_per_minute: 1_000_000,
      // Tests with one or two Macs order all of them before payment.
      unpaid_share_percent: 100,
      // Builds are not really run here, so no real time passes for them.
      stall_confirm_ms: 0,
      // Tests advance the clock by months: an audit every minute would add nothing.
      audit_every_ms: 24 * 3_600_000,
      // What asks for the password again is a subject of its own.
      session_confirm_ms: usual.limits.session_absolute_ms,
      ...options.limits,
    },
  };
}
