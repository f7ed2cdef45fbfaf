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
  /** Ends the daemon, which launchd starts again; returns false when none runs. */
  readonly endDaemon: () => boolean;
  readonly limits: DaemonLimits;
  readonly say: (text: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
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
  const { installation, archive, sha256, limits, say, clock, signal } = by;
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
    const needs = by.offline ? 'start' : 'welcome';
    const seconds = Math.ceil(limits.upgradeTrialMs / 1000);
    switchTo(installation, { to: version, from, attempt: null, needs, seconds, most: limits.upgradeStarts });
  } finally {
    unlock();
  }
  if (!by.endDaemon()) {
    return say(`version ${version} is tried when the agent starts; ${from} comes back if it does not work`);
  }
  say(`the agent restarts; builds go on`);
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
  say(`version ${version} works`);
}
