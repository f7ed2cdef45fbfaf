// Composes the daemon: link, builds and Macs of one host.
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { BuildFact, HealthFinding } from '../../shared/protocol/index.js';
import { watchSteps } from '../../shared/steady-clock.js';
import type { MacDriver } from '../driver/driver.js';
import type { DaemonLimits } from '../limits.js';
import type { LinkAddress } from '../system/request.js';
import type { AgentConfig } from './agent-config.js';
import type { StateFile } from './agent-state.js';
import { createBuildReconciler } from './build-reconciler.js';
import { daemonLimitsOf, linkLimitsOf, slotsOf } from './config.js';
import { followDriver } from './followed-driver.js';
import { createHostReports, type HostReports } from './host-reports.js';
import type { Journal } from './journal.js';
import type { LinkState } from './link/client.js';
import type { Hello } from './link/connection.js';
import { createHostLink, type HostLink } from './link/host-link.js';
import { isReportable } from './link/reports.js';
import { machineId } from './machine-id.js';
import { dropAccountCaches } from './macs/account-caches.js';
import { createMacReconciler, type MacReconciler, type ReconcilerDriver } from './macs/mac-reconciler.js';
import type { Mover, MoverLink } from './mover.js';
import type { BuildSupervisor } from './supervisor.js';
import { createSuspectMacs } from './suspect-build.js';
import type { BuildEvents } from './tracked-build.js';
import type { UpgradedHost, Upgrades } from './upgrades.js';

export interface DaemonDeps {
  dataDir: string;
  config: AgentConfig;
  /** Read for every connection. */
  address: () => LinkAddress;
  openMover: (link: MoverLink) => Mover;
  driver: ReconcilerDriver & Pick<MacDriver, 'wantImages' | 'imageFacts' | 'watch'>;
  journal: Journal;
  openBuilds: (events: BuildEvents) => BuildSupervisor;
  agentVersion: string;
  openUpgrades: (host: UpgradedHost) => Upgrades;
  /** Runs the doctor's checks with the current configuration. */
  lookAtHealth: (signal: AbortSignal) => Promise<HealthFinding[]>;
  /** Notified of every change of the connection and of the Macs. */
  state: Pick<StateFile, 'changed' | 'link'>;
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
  const steps = logClockSteps(clock, log);

  const builds = deps.openBuilds({
    onFact: guarded('a fact of a build', (fact) => link.reports.build(fact)),
    onOutput: guarded('output of a build', (ref, logBytes) => link.pump.grew(ref, logBytes)),
    onFinished: guarded('the end of a build', (ref, result) => {
      link.pump.grew(ref, result.log.bytes);
      remakeIfSuspect(ref, builds.slotOf(ref), result);
      buildReconciler.reconcile();
      macs.reconcile();
      host.diskChanged();
    }),
  });
  const macs = createMacReconciler({
    ...common,
    driver,
    inUse: (slotId) => buildReconciler.startsIn(slotId) || runsIn(builds, slotId),
    changed: () => {
      link.reports.macs();
      buildReconciler.reconcile();
      deps.state.changed();
    },
    dropCaches: (keep) => dropAccountCaches(dataDir, keep),
    slots: () => slotsOf(config),
  });
  const followed = followDriver(driver, { macs, reports: () => link.reports, host: () => host });
  const remakeIfSuspect = createSuspectMacs({ macs, driver, builds, stopping: () => stopping, clock, log });
  const link = createHostLink({
    address: () => mover.address(),
    builds,
    macFacts: macs.facts,
    hello,
    guarded,
    clock,
    log,
    imageFacts: driver.imageFacts,
    onState: deps.state.link,
    onUp() {
      for (const part of [upgrades, mover, host]) part.welcomed();
    },
    onDesire(desire, whole) {
      upgrades.desire(desire.agent);
      if (whole) followed.wantImages(desire.images);
      mover.wanted(desire.move_to?.site_url ?? null);
      buildReconciler.desire(desire, whole);
    },
    onRefused: () => void (mover.refused() || buildReconciler.removed()),
    onGone(ref) {
      buildReconciler.gone(ref);
      macs.reconcile();
    },
    limits: () => limits.link,
  });
  const buildReconciler = createBuildReconciler({
    ...common,
    builds,
    macs,
    journal: deps.journal,
    ...linkOfBuilds(link),
  });
  const mover = deps.openMover(linkOfMover(link, () => limits.daemon));
  const upgrades = deps.openUpgrades({ ...common, macs, builds, send: link.send });
  const host = createHostReports({
    ...common,
    dataDir,
    driver,
    macs,
    lookAtHealth: deps.lookAtHealth,
    send: link.send,
    config: () => config,
  });

  async function hello(): Promise<Hello> {
    const present = await describe({ driver, host, macs, builds, mover, log });
    return { agent_version: deps.agentVersion, upgrade: upgrades.facts(), ...present };
  }

  return {
    async start() {
      await builds.adopt();
      upgrades.started();
      followed.start();
      for (const fact of builds.facts()) link.pump.grew(fact, fact.log_bytes);
      buildReconciler.resume();
      for (const part of [link.client, host, mover, steps]) part.start();
    },
    async stop() {
      stopping = true;
      for (const part of [steps, mover, buildReconciler, link.deliveries, link.reports, host]) part.close();
      await upgrades.close();
      await link.client.stop();
      for (const part of [followed, macs, builds]) await part.close();
    },
    reconfigure(fresh) {
      const drainChanged = fresh.drain !== config.drain;
      config = fresh;
      limits = { link: linkLimitsOf(fresh), daemon: daemonLimitsOf(fresh) };
      log.level = fresh.log_level;
      host.diskChanged();
      host.configured();
      if (drainChanged) host.drainChanged();
    },
    dataLost: followed.macsChanged,
    reconnect: link.client.retry,
    linkState: link.client.state,
  };
}

function linkOfBuilds({ send, deliver, deliveries }: HostLink) {
  return {
    acknowledge: (sequence: number) => send({ type: 'desire_ack', sequence }),
    reportAbsent: (fact: BuildFact) => send({ type: 'facts', builds: [fact], macs: [] }),
    deliver,
    stopDelivery: deliveries.stop,
  };
}

function linkOfMover({ client, send }: HostLink, limits: () => DaemonLimits): MoverLink {
  return {
    isUp: () => client.state() === 'up',
    reconnect: client.retry,
    report: (address) => send({ type: 'facts', builds: [], macs: [], address }),
    limits,
  };
}

/** Returns what is on this host. */
async function describe(parts: {
  driver: Pick<MacDriver, 'imageFacts'>;
  host: HostReports;
  macs: MacReconciler;
  builds: BuildSupervisor;
  mover: Mover;
  log: Log;
}): Promise<Omit<Hello, 'agent_version' | 'upgrade'>> {
  const images = await parts.driver.imageFacts();
  const machine = await machineId(parts.log);
  const host = await parts.host.hello();
  const macs = await parts.macs.facts();
  // Read last, because the log pump relies on what hello says about the builds.
  const builds = parts.builds.facts().filter(isReportable);
  return { machine, images, ...host, macs, builds, address: parts.mover.facts() };
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

function logClockSteps(clock: Clock, log: Log) {
  let stop = () => {};
  return {
    start() {
      stop = watchSteps(clock, (step_ms) =>
        log.warn(
          { step_ms },
          'the clock of this machine was changed; the durations of builds and waits are not affected',
        ),
      );
    },
    close: () => stop(),
  };
}

/** Whether a build of this slot has not ended. */
function runsIn(builds: BuildSupervisor, slotId: string): boolean {
  return builds.facts().some((fact) => fact.state !== 'finished' && builds.slotOf(fact) === slotId);
}
