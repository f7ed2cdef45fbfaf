// One control plane in this process: opened, started, stopped.
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createAdvancingClock, systemClock } from '../shared/clock.js';
import { createLog, type Log } from '../shared/log.js';
import { pause } from '../shared/pause.js';
import { createTestClock } from './app/test-clock.js';
import { compose } from './compose.js';
import { type Config, readConfig } from './config.js';
import { registerDevClock } from './http/dev-clock.js';
import { registerLinkHttp } from './link/http.js';
import { attachLinkSocket, type LinkSocket } from './link/server.js';
import { readClockOffset } from './store/clock-offset.js';
import { migrate } from './store/migrate.js';
import { migrations } from './store/migrations/all.js';
import { openSqlite } from './store/sqlite.js';
import { watchOutsideWrites } from './workers/outside-writes.js';
import { type RunningWorkers, runWorkers } from './workers/run-workers.js';

/** Longest wait of `POST /dev/clock` for what became due. */
const SETTLE_MS = 15_000;

export interface ControlPlaneOptions {
  /** CIDERMILL_* variables that win over the environment; see docs/configuration.md. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Adds /dev/clock, and receivers of webhooks on this machine are allowed. */
  testClock?: boolean;
  log?: Log;
}

export interface ControlPlane {
  /** Root address of the site, without a slash at its end. */
  readonly siteUrl: string;
  /** Base address of the agent API. */
  readonly baseUrl: string;
  readonly runnerUrl: string;
  /**
   * As long as there is nobody: where the first person comes in, with a token that dies when it is used or replaced at
   * the next start. Show it to the operator only.
   */
  readonly firstOwnerUrl: string | null;
  /** Ends long polls and links, waits for requests under way, closes the database. Builds go on on their hosts. */
  stop(): Promise<void>;
}

/**
 * Opens the database, starts the workers and listens.
 *
 * Throws ConfigError when a variable is wrong, and when the database is newer than this program.
 *
 * @example
 * const controlPlane = await createControlPlane({ env: { CIDERMILL_DATA: '/var/lib/cidermill' } });
 * console.log(controlPlane.baseUrl);
 * await controlPlane.stop();
 */
export async function createControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const config = readConfig(process.env, options.env);
  const log = options.log ?? createLog('control-plane');
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  const store = openSqlite(join(config.data, 'cidermill.db'), {
    onFailure: (error) =>
      log.fatal({ err: error }, 'the disk has failed: see to it, then start the service again'),
  });
  try {
    return await open(config, store, log, options.testClock ?? false);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function open(
  config: Config,
  store: ReturnType<typeof openSqlite>,
  log: Log,
  withTestClock: boolean,
): Promise<ControlPlane> {
  const { http, limits } = config;
  const applied = await migrate(store, migrations, systemClock.now());
  if (applied.length > 0) log.info({ applied }, 'migrated the database');
  const advancing = withTestClock
    ? createAdvancingClock({ base: systemClock, offset: await readClockOffset(store) })
    : null;
  const clock = advancing ?? systemClock;
  const port = http.port === 0 ? await freePort(http.host) : http.port;
  const siteUrl = http.siteUrl ?? `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${port}`;

  let workers: RunningWorkers | null = null;
  const parts = await compose({
    ...{
      data: config.data,
      store,
      siteUrl,
      limits,
      codeHosts: config.codeHosts,
      clock,
      realClock: systemClock,
      log,
    },
    trustedProxies: http.trustedProxies,
    operatorToken: http.operatorToken,
    scanningKeysUrl: config.secretScanningKeysUrl,
    mail: config.mail,
    payments: config.payments,
    allowLoopback: withTestClock,
    allowedReceivers: config.allowedReceivers,
    statusApi: config.statusApi,
    site(server) {
      if (!advancing) return;
      // A receiver that does not answer is waited for, but not for ever.
      const settle = async () => {
        const done = new AbortController();
        // Aborted as soon as all is done; then nobody waits for it.
        const late = pause(systemClock, SETTLE_MS, done.signal).catch(() => undefined);
        await Promise.race([workers?.idle(), late]);
        done.abort();
      };
      registerDevClock(server, createTestClock({ clock: advancing, store, settle }));
    },
  });
  const { server, wake, hosts, runs, rentals, uploads, artifacts } = parts;
  await registerLinkHttp(server, {
    hosts,
    files: { assignment: runs.assignment, ...uploads, storeArtifact: artifacts.store },
    limits,
    log,
  });
  await hosts.disconnectAll();
  await server.ready();
  const link: LinkSocket = attachLinkSocket(server.server, {
    ...{ hosts, builds: runs, macs: rentals, wake, clock, realClock: systemClock, log },
    limits,
  });
  workers = runWorkers({ workers: parts.workers, wake, clock, log });
  const outside = watchOutsideWrites({ store, wake, clock: systemClock, log });
  await server.listen({ host: http.host, port });
  log.info({ siteUrl }, 'listening');
  if (!isPrivateEnough(siteUrl)) {
    log.warn({ siteUrl }, 'passwords, keys and logs travel in clear: put the service behind TLS');
  }
  const firstOwnerToken = await parts.firstOwner.issue();

  let stopped: Promise<void> | null = null;
  const stop = async () => {
    outside.stop();
    await link.close();
    wake.close();
    await server.close();
    await workers?.stop();
    await parts.publicFetch.close();
    advancing?.stop();
    await parts.apiErrors.close();
    await parts.apiKeys.close();
    await parts.sessions.close();
    await store.close();
  };
  return {
    siteUrl,
    baseUrl: `${siteUrl}/api/v1`,
    runnerUrl: `${siteUrl}/api/runner`,
    // In the fragment, which browsers keep to themselves.
    firstOwnerUrl: firstOwnerToken === null ? null : `${siteUrl}/first-owner#${firstOwnerToken}`,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Nobody on the way can read along: TLS, or this machine alone. */
function isPrivateEnough(siteUrl: string): boolean {
  const { protocol, hostname } = new URL(siteUrl);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The addresses that answers carry must be known before the server listens. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      probe.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('no free port'));
      });
    });
  });
}
