// A whole service in this process, on a database file of its own and a clock that stands still. Every answer of
// both families is checked against the OpenAPI document; a test that gets an undeclared one fails.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Test } from 'tap';
import type { NewOrganization } from '../../control-plane/access/app/organizations.js';
import { compose } from '../../control-plane/compose/compose.js';
import { RUNNER_ROOT } from '../../control-plane/compose/http/server.js';
import type { Platform } from '../../control-plane/compose/platform.js';
import { type Config, readConfig } from '../../control-plane/config.js';
import type { PaymentSettings } from '../../control-plane/payments/providers/providers.js';
import { createDiskRoom } from '../../control-plane/platform/blobs/disk-room.js';
import type { Level } from '../../control-plane/platform/domain/caller.js';
import type { DegradationSource } from '../../control-plane/platform/domain/degradation.js';
import type { Limits } from '../../control-plane/platform/domain/limits.js';
import type { Role } from '../../control-plane/platform/domain/role.js';
import type { LeveledRoute } from '../../control-plane/platform/http/route.js';
import { noAllowedReceivers } from '../../control-plane/platform/outbound/allowed-receivers.js';
import { createPublicFetch } from '../../control-plane/platform/outbound/public-fetch.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import type { Worker } from '../../control-plane/platform/workers/worker.js';
import type { Refund } from '../../control-plane/renting/app/order-changes.js';
import { type Clock, createAdvancingClock, systemClock } from '../../shared/clock.js';
import { createCheckedCalls } from './checked-calls.js';
import { putMigratedDatabase } from './migrated-database.js';

export type { CallOptions } from './checked-calls.js';

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
  /** Receives the service's own log, line by line; silent otherwise. */
  log?: (line: string) => void;
  /** What follows real time follows `clock` too. */
  oneClock?: boolean;
  /** Webhooks are delivered, and receivers on this machine are allowed. */
  receivers?: boolean;
  /** Where statuses of commits are written; nowhere by default. */
  statusApi?: Config['statusApi'];
  /** Where the public keys of secret scanning are. */
  scanningKeysUrl?: string;
  /** Further routes of family A, e.g. to see how the server treats a handler that fails. */
  extraRoutes?: (service: Pick<Platform, 'store' | 'wake'>) => readonly LeveledRoute[];
  extraRunnerRoutes?: () => readonly LeveledRoute[];
  /** Further entries of /healthz. */
  degradations?: readonly DegradationSource[];
}

/** Of everybody whom the harness signs in. */
export const PASSWORD = 'correct horse battery';
export const SENDER = 'Cidermill <macs@cidermill.test>';
export const START = Date.parse('2026-03-01T09:00:00.000Z');

/** Sent and written only for tests that ask for it. */
const outgoing = new Set(['event-fanout', 'webhook-delivery', 'commit-status', 'delivery-purge']);
/** They follow real time, which does not stand still. */
const realTime = new Set(['availability-audit', 'queue-look']);

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** Starts it and closes it with the test. */
export async function startHarness(t: Test, options: HarnessOptions = {}) {
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'cidermill-api-'));
  const config = configOf(options, data);
  const { limits } = config;
  const { siteUrl = 'http://cidermill.test' } = options;
  const clock = createAdvancingClock({ start: START });
  await putMigratedDatabase(join(data, 'cidermill.db'));
  const store = openSqlite(join(data, 'cidermill.db'), {
    ...(options.disk ?? { dataSync: async () => undefined }),
    oneTurn: true,
  });
  // Each reading of this clock is later than the last, so the free space is measured at each request.
  let looks = 0;
  const restless: Clock = { ...systemClock, now: () => ++looks * 1_000 };
  const { log, extraRoutes, extraRunnerRoutes } = options;
  const parts = await compose({
    ...{ config, store, siteUrl, clock },
    log: log ? pino({ level: 'debug' }, { write: log }) : pino({ level: 'silent' }),
    ports: {
      ...(options.oneClock ? { realClock: clock } : {}),
      diskRoom: createDiskRoom(data, { reserveBytes: limits.disk_reserve_bytes, clock: restless }),
      publicFetch: createPublicFetch({
        rules: { allowLoopback: options.receivers === true, allowed: noAllowedReceivers },
        // No name service is asked: one name is known, and it is public.
        resolve: async (host) => {
          if (host === 'hooks.example.com') return ['93.184.216.34'];
          throw new Error('ENOTFOUND');
        },
        timeoutMs: limits.webhook_timeout_ms,
        bodyBytes: limits.webhook_response_bytes,
      }),
    },
    extra: (platform) => ({
      agentRoutes: extraRoutes?.(platform) ?? [],
      runnerRoutes: extraRunnerRoutes?.() ?? [],
      degradations: options.degradations ?? [],
    }),
  });
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
  const usual = !extraRoutes && !extraRunnerRoutes;
  const calls = createCheckedCalls(parts, { siteUrl, key: keys.all, usual });

  let audited = false;
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    const differences = audited ? await renting.audit.run() : [];
    await parts.close();
    await store.close();
    rmSync(data, { recursive: true, force: true });
    if (differences.length > 0) throw new Error(differences.map(({ message }) => message).join('\n'));
  };
  t.teardown(close);

  return {
    ...{ parts, server, store, clock, limits, data, siteUrl, org, keys, close, ...calls },
    ...{ organizations, apiKeys, users, sessions: access.sessions, firstOwner: access.firstOwner },
    ...{ wake: platform.wake, apiErrors: platform.apiErrors, contents: platform.contents },
    ...{
      hosts: parts.hosts.hosts,
      macs: parts.macs.macs,
      rentals: parts.orders.rentals,
      uploads: parts.uploads.uploads,
    },
    ...{ runs: parts.builds.runs, secrets: parts.builds.secrets, artifacts: parts.builds.artifacts },
    audit: renting.audit,
    /** Has the availability audit run when the service is closed; it must find nothing then. */
    auditOnClose() {
      audited = true;
    },
    /** What order changes need, for tests that pay as the payment part does. */
    orderDeps: parts.orders.changes,
    /** Refunds that were asked for, in their order. */
    refunds: () =>
      store.all<Refund>(
        `SELECT order_no AS "orderNo", account_id AS "accountId", amount_won AS "amountWon", reason
         FROM payment_cancellations ORDER BY rowid`,
      ),
    workers: {
      idle: parts.workersIdle,
      /** One of the service, whether it runs by itself here or not. */
      named(name: string): Worker {
        const found = [...parts.workers, ...parts.realTimeWorkers].find((worker) => worker.name === name);
        if (!found) throw new Error(`there is no worker ${name}`);
        return found;
      },
    },
    /** A second account, to which nothing of the first may show. */
    other: { ...other, key: await keyOf(other, every) },
    /** Makes a person and signs them in: the value of their Cookie header. */
    async signIn(
      role: Role,
      {
        org: place = org,
        email = `${role}-${place.id}@example.com`,
        operator = false,
      }: { org?: NewOrganization; email?: string; operator?: boolean } = {},
    ): Promise<string> {
      await users.create({ email, password: PASSWORD, operator, membership: { accountId: place.id, role } });
      const answer = await calls.inject({
        method: 'POST',
        url: `${RUNNER_ROOT}/v1/session`,
        payload: { email, password: PASSWORD },
      });
      return String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
    },
    async createKey(
      levels: readonly Level[],
      { cidrs, expiresAt }: { cidrs?: string[]; expiresAt?: number } = {},
    ): Promise<string> {
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
  };
}

function configOf(options: HarnessOptions, data: string): Config {
  const { trustedProxies = [], operatorToken = null, smtpUrl, statusApi = null } = options;
  const usual = readConfig({}, { CIDERMILL_PAYMENT_PROVIDER: 'sandbox' });
  return {
    ...usual,
    data,
    http: { ...usual.http, trustedProxies, operatorToken },
    secretScanningKeysUrl: options.scanningKeysUrl ?? 'http://127.0.0.1:9/',
    mail: smtpUrl === undefined ? null : { smtpUrl, from: SENDER },
    payments: { ...usual.payments, ...options.payments },
    statusApi,
    limits: {
      ...usual.limits,
      requests_per_minute: 1_000_000,
      // No real time passes for builds that nobody runs.
      stall_confirm_ms: 0,
      // Each minute of the months that tests advance tells nothing more.
      audit_every_ms: 24 * 3_600_000,
      ...options.limits,
    },
  };
}
