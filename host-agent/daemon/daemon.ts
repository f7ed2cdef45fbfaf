// The daemon with everything that it stands on given: joins the link, the builds and the Macs of one host.
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { ControlMessage } from '../../shared/protocol/index.js';
import { defaultBuildLimits } from '../limits.js';
import type { LinkAddress } from '../system/request.js';
import { createBuildReconciler } from './build-reconciler.js';
import { type AgentConfig, buildLimitsOf, daemonLimitsOf, linkLimitsOf } from './config.js';
import { createDiskRoom } from './disk-room.js';
import { watchInventory } from './inventory.js';
import { openJournal } from './journal.js';
import { createArtifactUpload } from './link/artifact-upload.js';
import { createLinkClient, type Hello, type LinkState } from './link/client.js';
import { createDeliveries } from './link/deliveries.js';
import { createOutputPump } from './link/output-pump.js';
import { createReports, isReportable } from './link/reports.js';
import { dropAccountCaches } from './macs/account-caches.js';
import { createMacReconciler, type ReconcilerDriver } from './macs/mac-reconciler.js';
import type { BuildEvents, BuildSupervisor } from './supervisor.js';

export interface DaemonDeps {
  dataDir: string;
  config: AgentConfig;
  /** Read anew for every connection. */
  address: () => LinkAddress;
  driver: ReconcilerDriver;
  openBuilds: (events: BuildEvents) => BuildSupervisor;
  agentVersion: string;
  clock: Clock;
  log: Log;
}

export interface Daemon {
  /** Takes over what an earlier daemon left, then connects. Does not wait for the connection. */
  start(): Promise<void>;
  /** Lets go of everything; builds go on. */
  stop(): Promise<void>;
  /** Applies what can change in a running daemon. */
  reconfigure(config: AgentConfig): void;
  /** The address or the credential has changed. */
  reconnect(): void;
  linkState(): LinkState;
}

export function createDaemon(deps: DaemonDeps): Daemon {
  const { dataDir, address, driver, openBuilds, agentVersion, clock, log } = deps;
  let config = deps.config;
  let linkLimits = linkLimitsOf(config);
  let daemonLimits = daemonLimitsOf(config);
  const limits = () => linkLimits;

  /** What goes wrong for one message or one build ends there. */
  const guarded =
    <A extends unknown[]>(what: string, fn: (...args: A) => void) =>
    (...args: A): void => {
      try {
        fn(...args);
      } catch (error) {
        log.error({ err: error }, `${what} could not be dealt with`);
      }
    };

  const builds = openBuilds({
    onFact: guarded('a fact of a build', (fact) => reports.build(fact)),
    onOutput: guarded('output of a build', (ref, logBytes) => pump.grew(ref, logBytes)),
    onFinished: guarded('the end of a build', (ref, result) => {
      pump.grew(ref, result.log.bytes);
      buildReconciler.reconcile();
      macs.reconcile();
      inventory.diskChanged();
    }),
  });
  const client = createLinkClient({
    address,
    hello,
    onUp: guarded('the connection', onUp),
    onDown: guarded('the end of the connection', () => pump.disconnected()),
    onRefused: guarded('the removal of this host', () => buildReconciler.removed()),
    onMessage: guarded('a message', onMessage),
    onDrain: () => pump.step(),
    clock,
    limits,
    log,
  });
  const pump = createOutputPump({
    builds,
    send: client.sendOutput,
    waiting: client.waiting,
    missing: (ref) => deliveries.logLost(ref),
    clock,
    limits,
    log,
  });
  const deliveries = createDeliveries({
    builds,
    pump,
    upload: createArtifactUpload({ address, clock, limits, log }),
    send: client.send,
    gone: (ref) => {
      reports.gone(ref);
      buildReconciler.gone(ref);
      macs.reconcile();
    },
    clock,
    limits,
    log,
  });
  const macs = createMacReconciler({
    driver,
    inUse: (slotId) =>
      buildReconciler.startsIn(slotId) ||
      builds.facts().some((fact) => fact.state !== 'finished' && builds.slotOf(fact) === slotId),
    changed: () => {
      reports.macs();
      buildReconciler.reconcile();
    },
    dropCaches: (stillHere) => dropAccountCaches(dataDir, stillHere),
    slots: () => config.slots,
    clock,
    limits: () => daemonLimits,
    log,
  });
  const reports = createReports({ builds, macFacts: macs.facts, send: client.send, clock, limits, log });
  const buildReconciler = createBuildReconciler({
    builds,
    macs,
    journal: openJournal(dataDir),
    acknowledge: (sequence) => client.send({ type: 'desire_ack', sequence }),
    reportAbsent: (fact) => client.send({ type: 'facts', builds: [fact], macs: [] }),
    deliver: (ref, result) => {
      pump.grew(ref, result.log.bytes);
      deliveries.deliver(ref, result);
    },
    stopDelivery: deliveries.stop,
    clock,
    limits: () => daemonLimits,
    log,
  });
  const reserveBytes = () => ({ ...defaultBuildLimits, ...buildLimitsOf(config) }).diskReserveBytes;
  const inventory = watchInventory({
    driver,
    reserveBytes,
    makeRoom: createDiskRoom({ dataDir, driver, macs, reserveBytes, clock, log }),
    changed: (fresh) => client.send({ type: 'inventory', inventory: fresh, draining: config.drain }),
    everyMs: () => daemonLimits.inventoryMs,
    clock,
    log,
  });

  async function hello(): Promise<Hello> {
    const parts = { inventory: await inventory.current(), macs: await macs.facts() };
    // The builds last: what is said of them is what the log pump goes by.
    const told = builds.facts().filter(isReportable);
    return { agent_version: agentVersion, draining: config.drain, ...parts, builds: told };
  }

  function onUp(said: Hello) {
    pump.connected(said.builds);
    reports.up(said);
    deliveries.advance();
  }

  function onMessage(message: ControlMessage) {
    switch (message.type) {
      case 'desire':
        return buildReconciler.desire(message);
      case 'output_ack':
        pump.acknowledged(message, message.next_offset, message.resend);
        return deliveries.advance(message);
      case 'finished_ack':
        return deliveries.acknowledged(message, message.resend_from);
    }
  }

  return {
    async start() {
      await builds.adopt();
      for (const fact of builds.facts()) pump.grew(fact, fact.log_bytes);
      buildReconciler.resume();
      client.start();
    },
    async stop() {
      buildReconciler.close();
      deliveries.close();
      reports.close();
      inventory.close();
      await client.stop();
      await macs.close();
      await builds.close();
    },
    reconfigure(fresh) {
      const drained = fresh.drain !== config.drain;
      config = fresh;
      linkLimits = linkLimitsOf(fresh);
      daemonLimits = daemonLimitsOf(fresh);
      log.level = fresh.log_level;
      inventory.diskChanged();
      if (!drained) return;
      inventory
        .current()
        .then((known) => client.send({ type: 'inventory', inventory: known, draining: config.drain }))
        .catch((error: unknown) => log.error({ err: error }, 'cannot report the drain flag'));
    },
    reconnect: client.retry,
    linkState: client.state,
  };
}
