// An upgrade from an archive on this machine.
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import type { DaemonLimits } from '../limits.js';
import { InstallError } from './install-error.js';
import type { InstalledVersion } from './paths.js';
import { switchTo } from './rollback.js';
import { readOutcome, readTrial } from './trial.js';
import { lockUpgrades } from './upgrade-lock.js';
import {
  currentVersion,
  installVersion,
  makeCurrent,
  removeUnfinished,
  versionOfArchive,
  whyNotWritable,
} from './versions.js';

export interface UpgradeByHand {
  readonly installation: InstalledVersion;
  readonly archive: string;
  /** Null: not checked. */
  readonly sha256: string | null;
  /** The service need not welcome the new version. */
  readonly offline: boolean;
  readonly daemon: DaemonByHand;
  readonly limits: DaemonLimits;
  readonly say: (text: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface DaemonByHand {
  /** Whether it may record a trial, that is, replace its own version. */
  readonly ownsVersions: boolean;
  /** Ends the daemon, which launchd starts again; returns false when none runs. */
  end(): boolean;
  /** Whether a daemon of this version runs, and, if `connected`, is connected to the service. */
  runs(version: string, connected: boolean): boolean;
}

const POLL_MS = 200;
/** launchd waits 10 s before it starts a job again; a stopping daemon takes some seconds. */
const RESTARTS_MS = 60_000;

/**
 * Returns when the new version has proved to work, or, if no daemon runs, when it is the current version.
 *
 * @throws InstallError when it was not installed, or the version before has come back
 */
export async function upgradeByHand(by: UpgradeByHand): Promise<void> {
  const { installation, archive, sha256, limits, say, signal } = by;
  const version = versionOfArchive(archive);
  if (version === null) {
    throw new InstallError(
      `${archive} is not named like a package (cidermill-host-agent-VERSION-PLATFORM.tar.gz)`,
    );
  }
  const denied = whyNotWritable(installation);
  if (denied !== null) throw new InstallError(`${denied}; run the command with sudo`);
  const unlock = lockUpgrades(installation);
  const from = currentVersion(installation) ?? installation.version;
  try {
    const trial = readTrial(installation);
    if (trial) throw new InstallError(`version ${trial.to} is on trial; try again when that is over`);
    if (version === from) return say(`version ${version} is the current one already`);
    removeUnfinished(installation);
    say(`installing version ${version} beside ${from}`);
    const checkMs = limits.upgradeCheckMs;
    await installVersion(installation, { archive, version, sha256, checkMs, signal });
    if (!by.daemon.ownsVersions) makeCurrent(installation, version);
    else {
      const needs = by.offline ? 'start' : 'welcome';
      const seconds = Math.ceil(limits.upgradeTrialMs / 1000);
      switchTo(installation, {
        to: version,
        from,
        attempt: null,
        needs,
        seconds,
        most: limits.upgradeStarts,
      });
    }
  } finally {
    unlock();
  }
  if (!by.daemon.end()) {
    const back = by.daemon.ownsVersions ? `; ${from} comes back if it does not work` : '';
    return say(`version ${version} is tried when the agent starts${back}`);
  }
  say('the agent restarts; builds go on');
  await (by.daemon.ownsVersions ? untilTried(by, version) : untilItWorks(by, version, from));
  say(`version ${version} works`);
}

/** The launcher goes back if the version does not work. */
async function untilTried(
  { installation, limits, clock, signal }: UpgradeByHand,
  version: string,
): Promise<void> {
  const until = clock.now() + limits.upgradeTrialMs * 2 + RESTARTS_MS;
  while (readTrial(installation) !== null) {
    if (clock.now() >= until) {
      throw new InstallError('the agent has not been started again; see `cidermill host-agent status`');
    }
    await pause(clock, POLL_MS, signal);
  }
  const last = readOutcome(installation);
  if (last?.version !== version || last.state !== 'idle') {
    throw new InstallError(last?.error ?? `version ${version} was replaced`);
  }
}

/** The daemon may not write where the versions are, so this command goes back if the version does not work. */
async function untilItWorks(
  { installation, daemon, offline, limits, clock, signal }: UpgradeByHand,
  version: string,
  from: string,
): Promise<void> {
  const until = clock.now() + limits.upgradeTrialMs + RESTARTS_MS;
  try {
    while (!daemon.runs(version, !offline)) {
      if (clock.now() >= until) {
        throw new InstallError(
          `version ${version} did not ${offline ? 'start' : 'connect to the service'} in time`,
        );
      }
      await pause(clock, POLL_MS, signal);
    }
  } catch (error) {
    makeCurrent(installation, from);
    daemon.end();
    const why = error instanceof Error ? error.message : String(error);
    throw new InstallError(`${why}; ${from} runs again`, 78, { cause: error });
  }
}
