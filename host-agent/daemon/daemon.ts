// Composes the daemon: link, builds and Macs of one host.
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { AgentMessage, Inventory } from '../../shared/protocol/index.js';
import type { MacDriver } from '../driver/driver.js';
import { defaultBuildLimits } from '../limits.js';
import type { LinkAddress } from '../system/request.js';
import { createBuildReconciler } from './build-reconciler.js';
import { type AgentConfig, buildLimitsOf, daemonLimitsOf, linkLimitsOf, slotsOf } from './config.js';
import { createDiskRoom } from './disk-room.js';
import { followDriver } from './followed-driver.js';
import { type InventoryWatch, watchInventory } from './inventory.js';
import type { Journal } from './journal.js';
import type { LinkState } from './link/client.js';
import type { Hello } from './link/connection.js';
import { createHostLink } from './link/host-link.js';
import { isReportable } from './link/reports.js';
import { dropAccountCaches } from './macs/account-caches.js';
import { createMacReconciler, type MacReconciler, type ReconcilerDriver } from './macs/mac-reconciler.js';
import type { BuildSupervisor } from './supervisor.js';
import { createSuspectMacs } from './suspect-build.js';
import type { BuildEvents } from './tracked-build.js';
import type { UpgradedHost, Upgrades } from './upgrades.js';

export interface DaemonDeps {
  dataDir: string;
  config: AgentConfig;
  /** Read for every connection. */
  address: () => LinkAddress;
  driver: ReconcilerDriver & Pick<MacDriver, 'wantImages' | 'imageFacts' | 'watch'>;
  journal: Journal;
  openBuilds: (events: BuildEvents) => BuildSupervisor;
  agentVersion: string;
  openUpgrades: (host: UpgradedHost) => Upgrades;
  clock: Clock;
  log: Log;
}

export interface Daemon {
  /** Adopts the builds of an earlier daemon, then connects. Does not wait for the connection. */
  start(): Promise<void>;
  /** Disconnects. Builds go on running. */
  stop(): Promise<void>;
  /** Applies the settings that can change in a running daemon. */
  reconfigure(config: AgentConfig): void;
  /** Recreates the Macs that run no build. To be called after the data folder was deleted. */
  dataLost(): void;
  /** The address or the credential has changed. */
  reconnect(): void;
  linkState(): LinkState;
}

export function createDaemon(deps: DaemonDeps): Daemon {
  const { dataDir, driver, clock, log } = deps;
  let config = deps.config;
  let limits = { link: linkLimitsOf(config), daemon: daemonLimitsOf(config) };
  let stopping = false;
  const guarded = createGuard(log);
  const common = { clock, log, limits: () => limits.daemon };

  const builds = deps.openBuilds({
    onFact: guarded('a fact of a build', (fact) => link.reports.build(fact)),
    onOutput: guarded('output of a build', (ref, logBytes) => link.pump.grew(ref, logBytes)),
    onFinished: guarded('the end of a build', (ref, result) => {
      link.pump.grew(ref, result.log.bytes);
      remakeIfSuspect(ref, builds.slotOf(ref), result);
      buildReconciler.reconcile();
      macs.reconcile();
      inventory.diskChanged();
    }),
  });
  const macs = createMacReconciler({
    ...common,
    driver,
    inUse: (slotId) => buildReconciler.startsIn(slotId) || runsIn(builds, slotId),
    changed: () => {
      link.reports.macs();
      buildReconciler.reconcile();
    },
    dropCaches: (keep) => dropAccountCaches(dataDir, keep),
    slots: () => slotsOf(config),
  });
  const followed = followDriver(driver, { macs, reports: () => link.reports, inventory: () => inventory });
  const remakeIfSuspect = createSuspectMacs({ macs, driver, builds, stopping: () => stopping, clock, log });
  const link = createHostLink({
    ...{ address: deps.address, builds, macFacts: macs.facts, hello, guarded, clock, log },
    imageFacts: driver.imageFacts,
    onUp: () => upgrades.welcomed(),
    onDesire(desire) {
      upgrades.desire(desire.agent);
      followed.wantImages(desire.images);
      buildReconciler.desire(desire);
    },
    onRefused: () => buildReconciler.removed(),
    onGone(ref) {
      buildReconciler.gone(ref);
      macs.reconcile();
    },
    limits: () => limits.link,
  });
  const buildReconciler = createBuildReconciler({
    ...common,
    ...{ builds, macs, journal: deps.journal },
    acknowledge: (sequence) => link.send({ type: 'desire_ack', sequence }),
    reportAbsent: (fact) => link.send({ type: 'facts', builds: [fact], macs: [] }),
    deliver: link.deliver,
    stopDelivery: link.deliveries.stop,
  });
  const upgrades = deps.openUpgrades({ ...common, macs, builds, send: link.send });
  const inventory = reportInventory({
    ...{ dataDir, driver, macs, send: link.send, clock, log },
    config: () => config,
    everyMs: () => limits.daemon.inventoryMs,
  });

  async function hello(): Promise<Hello> {
    const present = await describe({ driver, inventory, macs, builds });
    const upgrade = upgrades.facts();
    return { agent_version: deps.agentVersion, draining: config.drain, upgrade, ...present };
  }

  return {
    async start() {
      await builds.adopt();
      upgrades.started();
      followed.start();
      for (const fact of builds.facts()) link.pump.grew(fact, fact.log_bytes);
      buildReconciler.resume();
      link.client.start();
    },
    async stop() {
      stopping = true;
      for (const part of [buildReconciler, link.deliveries, link.reports, inventory]) part.close();
      await upgrades.close();
      await link.client.stop();
      await followed.close();
      await macs.close();
      await builds.close();
    },
    reconfigure(fresh) {
      const drainChanged = fresh.drain !== config.drain;
      config = fresh;
      limits = { link: linkLimitsOf(fresh), daemon: daemonLimitsOf(fresh) };
      log.level = fresh.log_level;
      inventory.diskChanged();
      if (drainChanged) inventory.send();
    },
    dataLost: followed.macsChanged,
    reconnect: link.client.retry,
    linkState: link.client.state,
  };
}

/** Watches the inventory, and sends it when it changes. */
function reportInventory(host: {
  dataDir: string;
  driver: DaemonDeps['driver'];
  macs: MacReconciler;
  config: () => AgentConfig;
  everyMs: () => number;
  send: (message: AgentMessage) => boolean;
  clock: Clock;
  log: Log;
}): InventoryWatch & { send(): void } {
  const { config, clock, log } = host;
  const reserveBytes = () => ({ ...defaultBuildLimits, ...buildLimitsOf(config()) }).diskReserveBytes;
  const changed = (inventory: Inventory) =>
    host.send({ type: 'inventory', inventory, draining: config().drain, sent_at: clock.now() });
  const watch = watchInventory({
    ...{ driver: host.driver, reserveBytes, clock, log, changed, everyMs: host.everyMs },
    makeRoom: createDiskRoom({ ...host, reserveBytes }),
  });
  const onError = (error: unknown) => log.error({ err: error }, 'cannot report the drain flag');
  return { ...watch, send: () => void watch.current().then(changed).catch(onError) };
}

/** Returns what is on this host. */
async function describe(host: {
  driver: Pick<MacDriver, 'imageFacts'>;
  inventory: InventoryWatch;
  macs: MacReconciler;
  builds: BuildSupervisor;
}): Promise<Omit<Hello, 'agent_version' | 'draining' | 'upgrade'>> {
  const images = await host.driver.imageFacts();
  const inventory = await host.inventory.current();
  const macs = await host.macs.facts();
  // Read last, because the log pump relies on what hello says about the builds.
  const builds = host.builds.facts().filter(isReportable);
  return { images, inventory, macs, builds };
}

/** Returns a function that wraps handlers: an error of one message or build is logged and affects no other. */
function createGuard(log: Log) {
  return <A extends unknown[]>(what: string, fn: (...args: A) => void) =>
    (...args: A): void => {
      try {
        fn(...args);
      } catch (error) {
        log.error({ err: error }, `cannot handle ${what}`);
      }
    };
}

/** Whether a build of this slot has not ended. */
function runsIn(builds: BuildSupervisor, slotId: string): boolean {
  return builds.facts().some((fact) => fact.state !== 'finished' && builds.slotOf(fact) === slotId);
}
