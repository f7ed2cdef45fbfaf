// Opens, starts and stops a control plane in this process.
import { createAdvancingClock, systemClock } from '../shared/clock.js';
import { createLog, type Log } from '../shared/log.js';
import { pause } from '../shared/pause.js';
import { unknownVariables } from '../shared/variables.js';
import { type Composition, compose } from './compose/compose.js';
import { type Config, knownVariables, readConfig } from './config.js';
import { lockDataFolder, makeDataPrivate, openDataFolder, openServiceKeys } from './data-folder.js';
import { openServiceDatabase } from './database.js';
import { type HeldPort, holdPort, listenProblem } from './hold-port.js';
import { registerLinkHttp } from './hosts/link/http.js';
import { attachLinkSocket, type LinkSocket } from './hosts/link/server.js';
import { useOwnObjects } from './own-objects.js';
import type { OwnProcess } from './platform/app/processes.js';
import { createTestClock } from './platform/app/test-clock.js';
import { API_ROOT, CONSOLE_ROOT } from './platform/domain/addresses.js';
import { isVast } from './platform/domain/cidr.js';
import type { SharedState } from './platform/domain/shared-state.js';
import { registerDevClock } from './platform/http/dev-clock.js';
import type { FolderLock } from './platform/store/folder-lock.js';
import { readClockOffset } from './platform/store/meta.js';
import type { Store } from './platform/store/sql.js';
import { watchOutsideWrites } from './platform/workers/outside-writes.js';
import { openShared } from './shared-state.js';

/** Maximum wait of `POST /dev/clock` for work that became due. */
const SETTLE_MS = 15_000;

export interface ControlPlaneOptions {
  /** CIDERMILL_* variables that take precedence over the environment; see docs/configuration.md. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Adds /dev/clock and allows webhook receivers on this machine. */
  testClock?: boolean;
  log?: Log;
  /** Called when another service has taken over the database while it could not be reached from here; stop this one. */
  onDatabaseLost?: () => void;
}

export interface ControlPlane {
  /** Root URL of the site, without a trailing slash. */
  readonly siteUrl: string;
  /** Base URL of the API. */
  readonly baseUrl: string;
  readonly runnerUrl: string;
  /**
   * URL where the first person signs up; null if there already is one. Its token is valid until it is used,
   * expires, or is replaced on the next startup. Show it to the operator only.
   */
  readonly firstOwnerUrl: string | null;
  /** How long that URL works, in ms. */
  readonly firstOwnerMs: number;
  /**
   * Ends long polls and links, waits for requests in flight and closes the database. Builds continue on their hosts.
   */
  stop(): Promise<void>;
}

/**
 * Locks the data folder, binds the port, opens the database, listens, and then starts the workers.
 *
 * Throws ConfigError if a variable is invalid, and StartError if another process uses the folder or the port, the
 * folder cannot be used, or the database is newer than this program. All resources are released in that case.
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
  warnOfProxies(config.http.trustedProxies.filter(isVast), log);
  const folder = openDataFolder(config.data);
  const lock = lockDataFolder(config.data, folder.lock);
  let held: HeldPort | null = null;
  try {
    makeDataPrivate(config.data, log);
    held = await holdPort(config.http.host, config.http.port);
    // A proxy sends a request to another process when its connection is refused, but fails it when the connection is closed.
    if (config.databaseUrl !== null && config.objects !== null) await held.release();
    const keys = openServiceKeys(folder.keyFile, () => undefined);
    const { store, applied, processes, release } = await openServiceDatabase(config, {
      log,
      keyId: () => keys.current().id,
      onFailure: (error) => log.fatal({ err: error }, 'the disk has failed: repair it, then restart the service'),
      onLost(error) {
        log.fatal(
          { err: error },
          'others have taken over what this process did while the database could not be reached from here',
        );
        options.onDatabaseLost?.();
      },
    });
    if (applied.length > 0) log.info({ applied }, 'migrated the database');
    let shared: SharedState | null = null;
    try {
      if (processes.several) shared = await openShared(config, log);
      const letGo = async () => {
        await processes.leave();
        await shared?.close();
        await store.close();
        await release();
        lock.release();
      };
      const withTestClock = options.testClock ?? false;
      return await open({ config, store, processes, shared, log, lock, letGo, held, withTestClock });
    } catch (error) {
      await processes.leave();
      await shared?.close();
      await store.close();
      await release();
      throw error;
    }
  } catch (error) {
    await held?.release();
    lock.release();
    throw error;
  }
}

function warnOfProxies(vast: readonly string[], log: Log): void {
  if (vast.length === 0) return;
  log.warn(
    { variable: 'CIDERMILL_TRUSTED_PROXIES', ranges: vast },
    `CIDERMILL_TRUSTED_PROXIES trusts ${vast.join(', ')}: every client can claim any address in X-Forwarded-For, which voids address ranges of keys, limits per address and addresses in the audit log; name your proxies only`,
  );
}

interface Opening {
  readonly config: Config;
  readonly store: Store;
  readonly processes: OwnProcess;
  readonly shared: SharedState | null;
  readonly log: Log;
  readonly lock: FolderLock;
  /** Closes the database and releases what the service has locked. */
  readonly letGo: () => Promise<void>;
  readonly held: HeldPort;
  readonly withTestClock: boolean;
}

async function open(opening: Opening): Promise<ControlPlane> {
  const { config, store, processes, shared, log, lock, letGo, held, withTestClock } = opening;
  const { host } = config.http;
  const siteUrl = config.http.siteUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${held.port}`;
  const testClock = withTestClock
    ? createAdvancingClock({ base: systemClock, offset: await readClockOffset(store) })
    : null;
  const clock = testClock ?? systemClock;
  const parts = await compose({
    config,
    store,
    processes,
    shared,
    siteUrl,
    clock,
    log,
    allowLoopback: withTestClock,
    mount(server) {
      if (testClock === null) return;
      const settle = () => withinMs(SETTLE_MS, parts.workersIdle());
      registerDevClock(server, createTestClock({ clock: testClock, store, settle }));
    },
  });
  const serving = createServing(parts, held);
  const close = async () => {
    await serving.stop();
    await parts.close();
    testClock?.stop();
  };

  let firstOwnerToken: string | null;
  try {
    await useOwnObjects(store, parts.platform.objects?.objects ?? null, log);
    await serving.start();
    lock.announce(siteUrl);
    firstOwnerToken = await parts.access.firstOwner.issue();
  } catch (error) {
    await close();
    throw error;
  }
  log.info({ siteUrl }, 'listening');
  if (!isPrivateEnough(siteUrl)) {
    log.warn({ siteUrl }, 'passwords, keys and logs are sent unencrypted: put the service behind TLS');
  }

  let stopped: Promise<void> | null = null;
  const stop = async () => {
    parts.announceStop();
    await pause(systemClock, config.limits.stop_notice_ms);
    await close();
    await letGo();
  };
  return {
    siteUrl,
    baseUrl: `${siteUrl}${API_ROOT}`,
    runnerUrl: `${siteUrl}${CONSOLE_ROOT}`,
    // In the fragment, because browsers do not send it to servers.
    firstOwnerUrl: firstOwnerToken === null ? null : `${siteUrl}/first-owner#${firstOwnerToken}`,
    firstOwnerMs: config.limits.first_owner_ms,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Starts and stops the host link, the HTTP server and the workers. */
function createServing(parts: Composition, held: HeldPort) {
  const { server, platform, hosts, macs, uploads, builds } = parts;
  const { config, store, processes, wake, realClock, log } = platform;
  let link: LinkSocket | null = null;
  let watch: { stop(): void } | null = null;
  let clockWatch: { stop(): Promise<void> } | null = null;
  return {
    async start() {
      const { artifacts, runs } = builds;
      const { assignment } = runs;
      const stores = { storeArtifact: artifacts.store, storeArtifacts: artifacts.storeMany };
      const files = { assignment, ...uploads.uploads, ...stores };
      await registerLinkHttp(server, { ...parts.link, ...hosts, files, log });
      processes.joinWakes(wake);
      await hosts.hosts.disconnectAll();
      await server.ready();
      link = attachLinkSocket(server.server, {
        ...platform,
        ...parts.link,
        ...hosts,
        builds: runs,
        macs: macs.macs,
      });
      processes.countConnections(() => link?.connectedHosts().length ?? 0);
      await held.release();
      const { host } = config.http;
      await server.listen({ host, port: held.port, backlog: BACKLOG }).catch((error: unknown) => {
        throw listenProblem(host, held.port, error) ?? error;
      });
      // Workers start after listening: a process that cannot be reached must not change data.
      parts.startWorkers();
      clockWatch = parts.clockSteps.watch(realClock);
      // Several processes tell each other what they write.
      if (!processes.several) watch = watchOutsideWrites({ store, wake, clock: realClock, log });
    },
    async stop() {
      watch?.stop();
      await clockWatch?.stop();
      await link?.close();
    },
  };
}

/**
 * Connections that the kernel keeps until the service accepts them. Node's 511 are too few when all clients come at
 * once, e.g. after a restart: the kernel then drops or resets the others. Linux uses at most `net.core.somaxconn`
 * (4,096), macOS at most `kern.ipc.somaxconn` (128).
 */
const BACKLOG = 4_096;

/** Waits for `work` for at most `ms`, so that an unresponsive webhook receiver does not block the test clock. */
async function withinMs(ms: number, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  // Rejects when aborted, which happens once the work is done.
  const late = pause(systemClock, ms, done.signal).catch(() => undefined);
  await Promise.race([work, late]);
  done.abort();
}

/** Returns whether traffic to the site cannot be intercepted: TLS or loopback only. */
function isPrivateEnough(siteUrl: string): boolean {
  const { protocol, hostname } = new URL(siteUrl);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
