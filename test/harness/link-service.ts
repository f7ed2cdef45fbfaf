// The control plane's side of the link with a real database, real sockets and recorded builds.

import type { AddressInfo, Socket } from 'node:net';
import fastify from 'fastify';
import type { Test } from 'tap';
import { createHosts, type Hosts } from '../../control-plane/hosts/app/hosts.js';
import type { LinkFiles } from '../../control-plane/hosts/app/link-ports.js';
import { registerLinkHttp } from '../../control-plane/hosts/link/http.js';
import { attachLinkSocket, type LinkSocket } from '../../control-plane/hosts/link/server.js';
import { createTurns } from '../../control-plane/platform/app/turns.js';
import type { AuditedAction } from '../../control-plane/platform/domain/audit-entry.js';
import { defaultLimits, type Limits } from '../../control-plane/platform/domain/limits.js';
import { createRateLimits } from '../../control-plane/platform/http/rate-limits.js';
import type { Store, Transaction } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { createWake, type Wake } from '../../control-plane/platform/wake.js';
import { watchOutsideWrites } from '../../control-plane/platform/workers/outside-writes.js';
import { type AdvancingClock, createAdvancingClock, stopwatch, systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { openMigrated, putMigratedDatabase } from './migrated-database.js';
import { type RecordingBuilds, recordingBuilds } from './recording-builds.js';

export interface LinkService {
  readonly siteUrl: string;
  readonly port: number;
  readonly clock: AdvancingClock;
  readonly store: Store;
  readonly wake: Wake;
  readonly hosts: Hosts;
  readonly builds: RecordingBuilds;
  readonly link: LinkSocket;
  /** Entries for the audit log, of successes and failures. */
  readonly audited: readonly AuditedAction[];
  /** Enrols a host of the tier `local` and returns its credential. */
  enrol(slots?: number): Promise<{ hostId: string; credential: string }>;
  /** Returns how many connections are open. */
  connections(): Promise<number>;
  /** Returns the bytes read from all connections so far. */
  bytesRead(): number;
  stop(): Promise<void>;
}

export interface LinkServiceOptions {
  /** Default: a new folder, removed when the test ends. */
  database?: string;
  /** Default: any free port. */
  port?: number;
  heartbeatMs?: number;
  builds?: RecordingBuilds;
  files?: Partial<LinkFiles>;
  limits?: Partial<Limits>;
  /** The root address that the service is configured with. Default: the one that it listens on. */
  configuredUrl?: string;
}

/** A service without packages. */
export const noPackages = { all: async () => [], hostAgent: async () => null };
/** The only process of the control plane. */
export const onlyProcess = { id: 'cp_only', several: false, whenGone: () => undefined };

const noFiles: LinkFiles = {
  assignment: async () => null,
  openManifest: () => Promise.reject(new Error('no manifests here')),
  contentsOf: () => Promise.reject(new Error('no manifests here')),
  openBlob: () => Promise.reject(new Error('no blobs here')),
  storeArtifact: () => Promise.reject(new Error('no artifacts here')),
  storeArtifacts: () => Promise.reject(new Error('no artifacts here')),
};

/** Starts the service; it stops when the test ends. */
export async function startLinkService(
  t: Pick<Test, 'teardown'>,
  options: LinkServiceOptions = {},
): Promise<LinkService> {
  const log = createLog('test', process.env.CIDERMILL_LOG_LEVEL ?? 'silent');
  const clock = createAdvancingClock({ start: Date.parse('2026-01-01T00:00:00Z') });
  if (options.database) await putMigratedDatabase(options.database);
  const store = options.database ? openSqlite(options.database) : await openMigrated();
  await store.run(
    `INSERT INTO tiers (tier, name, price_won, spec, xcode_versions, runtimes, tools, sales_open, max_days, created_at)
     VALUES ('local', 'Local', 10000, '{}', '[]', '[]', '[]', 1, 30, 0) ON CONFLICT (tier) DO NOTHING`,
  );
  const wake = createWake(systemClock);
  const limits = { ...defaultLimits, ...options.limits };
  const hosts = createHosts({ store, clock, wake, packages: noPackages, processes: onlyProcess, limits });
  const builds = options.builds ?? recordingBuilds();
  const app = fastify({ forceCloseConnections: true });
  const sockets: Socket[] = [];
  app.server.on('connection', (socket) => sockets.push(socket));
  const files = { ...noFiles, ...options.files };
  const audited: AuditedAction[] = [];
  const audit = {
    append: async (_tx: Transaction, action: AuditedAction) => void audited.push(action),
    failed: (action: AuditedAction) => void audited.push(action),
  };
  await registerLinkHttp(app, {
    hosts,
    files,
    limits,
    log,
    clock,
    rateLimits: createRateLimits(clock, limits.rate_limit_callers, null),
    audit,
    get siteUrl() {
      return options.configuredUrl ?? siteUrl;
    },
    clientIp: (request) => request.headers['x-test-ip']?.toString() ?? request.ip,
  });
  const link = attachLinkSocket(app.server, {
    hosts,
    builds,
    macs: builds,
    wake,
    clock,
    realClock: systemClock,
    limits: { ...limits, heartbeat_ms: options.heartbeatMs ?? 10_000 },
    turns: createTurns({ stopwatch }),
    log,
    audit,
    clientIp: ({ raw }) => raw.socket.remoteAddress ?? '',
  });
  await hosts.disconnectAll();
  const watch = watchOutsideWrites({ store, wake, clock: systemClock, log });
  await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  const { port } = app.server.address() as AddressInfo;
  const siteUrl = `http://127.0.0.1:${port}`;

  const close = async () => {
    watch.stop();
    await link.close();
    await app.close();
    wake.close();
    await store.close();
  };
  let closed: Promise<void> | undefined;
  const stop = () => {
    closed ??= close();
    return closed;
  };
  t.teardown(stop);
  return {
    siteUrl,
    port,
    clock,
    store,
    wake,
    hosts,
    builds,
    link,
    audited,
    async enrol(slots = 2) {
      const { token } = await hosts.createEnrolment({ tier: 'local', slots });
      const answer = await hosts.enrol({ token, hostname: 'test-mac' });
      return { hostId: answer.host_id, credential: answer.credential ?? '' };
    },
    connections: () =>
      new Promise((resolve, reject) =>
        app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    bytesRead: () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0),
    stop,
  };
}
