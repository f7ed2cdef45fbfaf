// One control plane in this process: opened, started, stopped.
import { createAdvancingClock, systemClock } from '../shared/clock.js';
import { createLog, type Log } from '../shared/log.js';
import { pause } from '../shared/pause.js';
import { unknownVariables } from '../shared/variables.js';
import { lookAtQueue } from './builds/workers/queue-look.js';
import { compose } from './compose/compose.js';
import { type Config, knownVariables, readConfig } from './config.js';
import { lockDataFolder, openDatabase, openDataFolder } from './data-folder.js';
import { type HeldPort, holdPort, listenProblem } from './hold-port.js';
import { registerLinkHttp } from './hosts/link/http.js';
import { attachLinkSocket, type LinkSocket } from './hosts/link/server.js';
import { createTestClock } from './platform/app/test-clock.js';
import { registerDevClock } from './platform/http/dev-clock.js';
import { readClockOffset } from './platform/store/clock-offset.js';
import type { FolderLock } from './platform/store/folder-lock.js';
import type { Store } from './platform/store/sql.js';
import { watchOutsideWrites } from './platform/workers/outside-writes.js';
import { type RunningWorkers, runWorkers } from './platform/workers/run-workers.js';

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
 * Takes the data folder and the port, opens the database, listens, and then starts the workers.
 *
 * Throws ConfigError when a variable is wrong, and StartError when another process uses the folder or the port, the
 * folder cannot be used, or the database is newer than this program. Nothing is left open then.
 *
 * @example
 * const controlPlane = await createControlPlane({ env: { CIDERMILL_DATA: '/var/lib/cidermill' } });
 * console.log(controlPlane.baseUrl);
 * await controlPlane.stop();
 */
export async function createControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const config = readConfig(process.env, options.env);
  const log = options.log ?? createLog('control-plane');
  for (const { name, nearest } of unknownVariables({ ...process.env, ...options.env }, knownVariables())) {
    const hint = nearest === null ? 'it has no effect' : `did you mean ${nearest}?`;
    log.warn({ variable: name, nearest }, `unknown variable ${name}; ${hint}`);
  }
  const folder = openDataFolder(config.data);
  const lock = lockDataFolder(config.data, folder.lock);
  let held: HeldPort | null = null;
  try {
    held = await holdPort(config.http.host, config.http.port);
    const { store, applied } = await openDatabase(config.data, {
      onFailure: (error) =>
        log.fatal({ err: error }, 'the disk has failed: see to it, then start the service again'),
    });
    if (applied.length > 0) log.info({ applied }, 'migrated the database');
    try {
      return await open({ config, store, log, lock, held, withTestClock: options.testClock ?? false });
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    await held?.release();
    lock.release();
    throw error;
  }
}

async function open(given: {
  config: Config;
  store: Store;
  log: Log;
  lock: FolderLock;
  held: HeldPort;
  withTestClock: boolean;
}): Promise<ControlPlane> {
  const { config, store, log, lock, held, withTestClock } = given;
  const { port } = held;
  const { http, limits } = config;
  const advancing = withTestClock
    ? createAdvancingClock({ base: systemClock, offset: await readClockOffset(store) })
    : null;
  const clock = advancing ?? systemClock;
  const siteUrl = http.siteUrl ?? `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${port}`;

  let workers: RunningWorkers | null = null;
  let realTimeWorkers: RunningWorkers | null = null;
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
  let link: LinkSocket | null = null;
  const watches: { stop(): void }[] = [];
  const close = async () => {
    for (const watch of watches) watch.stop();
    await link?.close();
    wake.close();
    await server.close();
    await workers?.stop();
    await realTimeWorkers?.stop();
    await parts.publicFetch.close();
    advancing?.stop();
    await parts.apiErrors.close();
    await parts.apiKeys.close();
    await parts.sessions.close();
  };

  let firstOwnerToken: string | null;
  try {
    await registerLinkHttp(server, {
      hosts,
      files: {
        assignment: runs.assignment,
        ...uploads,
        storeArtifact: artifacts.store,
        storeArtifacts: artifacts.storeMany,
      },
      limits,
      log,
    });
    await hosts.disconnectAll();
    await server.ready();
    link = attachLinkSocket(server.server, {
      ...{ hosts, builds: runs, macs: rentals, wake, clock, realClock: systemClock, log },
      limits,
    });
    await held.release();
    await server.listen({ host: http.host, port }).catch((error: unknown) => {
      throw listenProblem(http.host, port, error) ?? error;
    });
    // Only now: a process that cannot be reached must not change anything.
    workers = runWorkers({ workers: parts.workers, wake, clock, log });
    realTimeWorkers = runWorkers({ workers: parts.realTimeWorkers, wake, clock: systemClock, log });
    watches.push(
      watchOutsideWrites({ store, wake, clock: systemClock, log }),
      lookAtQueue({ wake, clock: systemClock, everyMs: limits.queue_look_ms }),
    );
    lock.announce(siteUrl);
    firstOwnerToken = await parts.firstOwner.issue();
  } catch (error) {
    await close();
    throw error;
  }
  log.info({ siteUrl }, 'listening');
  if (!isPrivateEnough(siteUrl)) {
    log.warn({ siteUrl }, 'passwords, keys and logs travel in clear: put the service behind TLS');
  }

  let stopped: Promise<void> | null = null;
  const stop = async () => {
    await close();
    await store.close();
    lock.release();
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
