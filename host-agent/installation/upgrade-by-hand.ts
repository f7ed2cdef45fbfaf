// An upgrade from an archive on this machine.
import { constants, copyFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cleanText } from '../../shared/clean-text.js';
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import type { DaemonLimits } from '../limits.js';
import type { Account } from './account.js';
import { copyVersion } from './agent-program.js';
import { asUser } from './as-user.js';
import { InstallError } from './install-error.js';
import type { InstalledVersion, ProgramPaths } from './paths.js';
import { switchTo } from './rollback.js';
import { readOutcome, readTrial } from './trial.js';
import { lockUpgrades } from './upgrade-lock.js';
import {
  checkRoom,
  currentVersion,
  DOWNLOAD,
  installVersion,
  makeCurrent,
  removeUnfinished,
  versionOfArchive,
  whyNotWritable,
} from './versions.js';

export interface UpgradeByHand {
  /** Where the package is checked and unpacked: for root, a folder that only root can change. */
  readonly installation: InstalledVersion;
  /** The copy that the agent's account runs and replaces, when this process is root; null: there is none. */
  readonly agent: AgentCopy | null;
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

export interface AgentCopy {
  readonly paths: ProgramPaths;
  readonly owner: Pick<Account, 'uid' | 'gid'>;
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
  const { installation, archive, limits, say } = by;
  const version = versionOfArchive(archive);
  if (version === null) {
    throw new InstallError(`${archive} is not named like a package (cidermill-host-agent-VERSION-PLATFORM.tar.gz)`);
  }
  const denied = whyNotWritable(installation);
  if (denied !== null) throw new InstallError(`${denied.text}; run the command with sudo`);
  const { paths, as } = replacedProgram(by);
  const ownsVersions = by.agent !== null || by.daemon.ownsVersions;
  const unlock = lockUpgrades(installation);
  const from = as(() => currentVersion(paths)) ?? installation.version;
  try {
    const trial = as(() => readTrial(paths));
    if (trial) throw new InstallError(`version ${trial.to} is on trial; try again when that is over`);
    if (version === from && currentVersion(installation) === version) {
      return say(`version ${version} is the current one already`);
    }
    removeUnfinished(installation);
    say(`installing version ${version} beside ${from}`);
    await installArchive(by, version);
    // The agent has upgraded itself to it before.
    if (version === from) return makeCurrent(installation, version);
    if (by.agent !== null) as(() => copyVersion(installation, paths, version));
    if (!ownsVersions) makeCurrent(installation, version);
    else {
      const needs = by.offline ? 'start' : 'welcome';
      const seconds = Math.ceil(limits.upgradeTrialMs / 1000);
      const most = limits.upgradeStarts;
      as(() => switchTo(paths, { to: version, from, attempt: null, needs, seconds, most }));
    }
  } finally {
    unlock();
  }
  if (!by.daemon.end()) {
    const back = ownsVersions ? `; ${from} comes back if it does not work` : '';
    if (by.agent !== null) makeCurrent(installation, version);
    return say(`version ${version} is tried when the agent starts${back}`);
  }
  say('the agent restarts; builds go on');
  await (ownsVersions ? untilTried(by, version) : untilItWorks(by, version, from));
  if (by.agent !== null) makeCurrent(installation, version);
  say(`version ${version} works`);
}

/** Returns the program that the agent runs, and how this process reads and writes there. */
function replacedProgram({ agent, installation }: UpgradeByHand) {
  const as = <T>(work: () => T): T => (agent === null ? work() : asUser(agent.owner, work));
  return { paths: agent?.paths ?? installation, as };
}

/** From a copy beside the versions: others could change the archive after it was checked. */
async function installArchive(by: UpgradeByHand, version: string): Promise<void> {
  const { installation, sha256, limits, signal } = by;
  const archive = join(installation.versions, `${DOWNLOAD}by-hand`);
  try {
    await checkRoom(installation, statSync(by.archive).size);
    copyFileSync(by.archive, archive, constants.COPYFILE_FICLONE);
    const checkMs = limits.upgradeCheckMs;
    await installVersion(installation, { archive, version, sha256, checkMs, signal });
  } finally {
    rmSync(archive, { force: true });
  }
}

/** The launcher goes back if the version does not work. */
async function untilTried(by: UpgradeByHand, version: string): Promise<void> {
  const { limits, clock, signal } = by;
  const { paths, as } = replacedProgram(by);
  const until = clock.monotonic() + limits.upgradeTrialMs * 2 + RESTARTS_MS;
  while (as(() => readTrial(paths)) !== null) {
    if (clock.monotonic() >= until) {
      throw new InstallError('the agent has not been started again; see `cidermill host-agent status`');
    }
    await pause(clock, POLL_MS, signal);
  }
  const last = as(() => readOutcome(paths));
  if (last?.version !== version || last.state !== 'idle') {
    throw new InstallError(cleanText(last?.error ?? '', 500) || `version ${version} was replaced`);
  }
}

/** The daemon may not write where the versions are, so this command goes back if the version does not work. */
async function untilItWorks(
  { installation, daemon, offline, limits, clock, signal }: UpgradeByHand,
  version: string,
  from: string,
): Promise<void> {
  const until = clock.monotonic() + limits.upgradeTrialMs + RESTARTS_MS;
  try {
    while (!daemon.runs(version, !offline)) {
      if (clock.monotonic() >= until) {
        throw new InstallError(`version ${version} did not ${offline ? 'start' : 'connect to the service'} in time`);
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
