// Composes the daemon: driver, builds, journal, link, upgrades, health.
import { join } from 'node:path';
import { systemClock } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import { packageVersion } from '../shared/package-version.js';
import type { AgentConfig } from './daemon/agent-config.js';
import { keepStateFile } from './daemon/agent-state.js';
import { buildLimitsOf, ConfigError, networkOf, openConfiguredNetwork } from './daemon/config.js';
import { credentialPath, type HostCredential } from './daemon/credential.js';
import { createDaemon, type Daemon } from './daemon/daemon.js';
import { driverOf } from './daemon/driver-spec.js';
import { openHiddenFolders } from './daemon/hidden-folder.js';
import { openJournal } from './daemon/journal.js';
import { refusalOf } from './daemon/link/known-service.js';
import { openMoveFile } from './daemon/move-file.js';
import { createMover } from './daemon/mover.js';
import { type BuildSupervisor, createBuildSupervisor } from './daemon/supervisor.js';
import type { BuildEvents } from './daemon/tracked-build.js';
import { createUpgrades } from './daemon/upgrades.js';
import { openCheckedHost } from './doctor/checked-host.js';
import { healthOf } from './doctor/health.js';
import { type DriverSpec, isVmSpec } from './driver/driver.js';
import { openDriver } from './driver/open.js';
import { claimNames } from './driver/vm/name-claim.js';
import { installedHere } from './installation/paths.js';
import { publisherKeys } from './installation/publisher-keys.js';

/** @throws ConfigError when the names of this agent's virtual machines are another agent's */
function requireNames(spec: DriverSpec, log: Log): void {
  if (!isVmSpec(spec)) return;
  let refusal: string | null = null;
  try {
    refusal = claimNames(spec, credentialPath);
  } catch (error) {
    // A disk that is full, or not there: the tool itself says so too.
    log.warn({ err: error }, 'cannot record which agent owns the virtual machines of this host');
  }
  if (refusal !== null) throw new ConfigError(refusal);
}

/** @param current read for every connection and every build */
export function openDaemon(
  dataDir: string,
  current: { readonly config: AgentConfig; readonly credential: HostCredential },
  deps: { onReplaced: (() => void) | null; setAddress: (siteUrl: string) => void; log: Log },
): Daemon {
  const { onReplaced, setAddress, log } = deps;
  const { config } = current;
  const settings = networkOf(config, process.env);
  const network = openConfiguredNetwork(settings);
  const address = () => ({
    siteUrl: current.config.control_plane,
    credential: current.credential.credential,
    network,
  });
  const { spec, password } = driverOf(config, dataDir);
  requireNames(spec, log);
  const driver = openDriver(spec, { password, log });
  const state = keepStateFile({
    dataDir,
    clock: systemClock,
    log,
    about: { pid: process.pid, version: packageVersion() },
    async look() {
      const { host_id, name } = current.credential;
      const open = builds?.facts().filter((fact) => fact.state !== 'finished') ?? [];
      const macs = (await driver.listMacs()).length;
      return { service: address().siteUrl, host_id, name, builds: open.length, macs };
    },
  });
  let builds: BuildSupervisor | null = null;
  const daemon = createDaemon({
    dataDir,
    config,
    address,
    driver,
    state,
    log,
    clock: systemClock,
    journal: openJournal(openHiddenFolders(dataDir)[0], join(dataDir, 'desire.json')),
    openBuilds: (events) => {
      builds = createBuildSupervisor({
        dataDir,
        driver,
        log,
        clock: systemClock,
        link: address,
        network: settings,
        events: alsoTelling(events, state.changed),
        limits: () => buildLimitsOf(current.config),
      });
      return builds;
    },
    agentVersion: packageVersion(),
    openMover: (link) =>
      createMover({
        ...link,
        configured: address,
        configure: setAddress,
        file: openMoveFile(dataDir),
        refusalOf: (siteUrl, accepted) =>
          refusalOf({ siteUrl, network }, current.credential, {
            accepted,
            clock: systemClock,
            withinMs: link.limits().moveProofMs,
          }),
        clock: systemClock,
        log,
      }),
    openUpgrades: (host) =>
      createUpgrades({
        ...host,
        address,
        installation: onReplaced === null ? null : installedHere(),
        keys: publisherKeys,
        replaced: onReplaced ?? (() => {}),
      }),
    lookAtHealth: (signal) =>
      healthOf(
        openCheckedHost({
          dataDir,
          driver,
          network,
          config: current.config,
          enrolled: true,
          isDaemon: true,
          signal,
        }),
      ),
  });
  const stop = () => {
    state.close();
    return daemon.stop();
  };
  return { ...daemon, stop };
}

/** Returns handlers that also call `changed` when a build has a new state. */
function alsoTelling(events: BuildEvents, changed: () => void): BuildEvents {
  return {
    ...events,
    onFact(fact) {
      events.onFact(fact);
      changed();
    },
    onFinished(ref, result) {
      events.onFinished(ref, result);
      changed();
    },
  };
}
