// `cidermill host-agent upgrade`: installs a version from an archive on this machine.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { Command } from 'commander';
import { systemClock } from '../../shared/clock.js';
import { readAgentState } from '../daemon/agent-state.js';
import { configPath, daemonLimitsOf, readConfig } from '../daemon/config.js';
import { asOwner, ownerOf } from '../installation/as-user.js';
import { InstallError } from '../installation/install-error.js';
import { type InstalledVersion, installedHere, installPaths } from '../installation/paths.js';
import { signedChecksum } from '../installation/signed-sums.js';
import { type DaemonByHand, type UpgradeByHand, upgradeByHand } from '../installation/upgrade-by-hand.js';
import { defaultDaemonLimits } from '../limits.js';
import { lockHolder } from '../system/lock.js';
import { dataOption } from './options.js';
import { acceptedKeys, sumsBeside } from './verify.js';

interface UpgradeFlags {
  readonly data: string;
  readonly sha256?: string;
  readonly offline?: boolean;
  readonly publicKey?: string;
}

export function upgradeCommand(): Command {
  return new Command('upgrade')
    .exitOverride()
    .description('install another version of the agent from a package on this machine; running builds continue')
    .argument('<package>', 'cidermill-host-agent-VERSION-PLATFORM.tar.gz')
    .addOption(dataOption())
    .option('--sha256 <hex>', 'checksum of the package, from SHA256SUMS of the service')
    .option('--public-key <key>', 'accept a package signed with this key instead of those of this agent')
    .option('--offline', 'keep the version even if it cannot connect to the service')
    .action((archive: string, flags: UpgradeFlags) => upgrade(resolve(archive), flags));
}

async function upgrade(archive: string, flags: UpgradeFlags): Promise<void> {
  const { data, offline = false } = flags;
  const installation = installedHere();
  if (installation === null) {
    throw new InstallError('this command does not run from an installed package; install one first');
  }
  if (!existsSync(archive)) throw new InstallError(`there is no file ${archive}`);
  const given = programs(installation);
  const config = configPath(data);
  const aborted = new AbortController();
  const abort = () => aborted.abort(new InstallError('interrupted'));
  process.on('SIGINT', abort);
  try {
    await upgradeByHand({
      ...given,
      archive,
      sha256: checksumOf(archive, flags),
      offline,
      daemon: daemonOf(data, given.installation),
      limits: asOwner(data, () => (existsSync(config) ? daemonLimitsOf(readConfig(config)) : defaultDaemonLimits)),
      say: (text) => process.stdout.write(`${text}\n`),
      clock: systemClock,
      signal: aborted.signal,
    });
  } finally {
    process.off('SIGINT', abort);
  }
}

/** Returns the checksum that is signed, and the one that was given; null if this agent checks neither. */
function checksumOf(archive: string, { sha256: text, publicKey }: UpgradeFlags): string | null {
  const given = text?.toLowerCase() ?? null;
  const keys = acceptedKeys(publicKey);
  if (keys.length === 0) return given;
  const { sha256 } = signedChecksum(sumsBeside(archive), basename(archive), keys);
  if (given === null || given === sha256) return sha256;
  throw new InstallError(`the signed SHA-256 of ${basename(archive)} is ${sha256}, not ${given}`);
}

/**
 * Where the package is unpacked, and the copy that the agent runs. Root unpacks it where only root writes, and hands it
 * over; the account itself, without root, replaces its own copy.
 */
function programs(here: InstalledVersion): Pick<UpgradeByHand, 'installation' | 'agent'> {
  const paths = { ...here, ...installPaths(here.prefix) };
  const owner = ownerOf(paths.agent.root);
  if (owner === null) return { installation: here, agent: null };
  if (process.geteuid?.() !== 0) return { installation: { ...here, ...paths.agent }, agent: null };
  if (here.root !== paths.root) {
    throw new InstallError(`root must not run the program in ${here.root}; run ${paths.current}/bin/cidermill`);
  }
  return { installation: here, agent: { paths: paths.agent, owner } };
}

export function daemonOf(data: string, { versions }: InstalledVersion): DaemonByHand {
  const owner = ownerOf(data);
  return {
    ownsVersions: owner === null || owner.uid === 0 || owner.uid === statSync(versions).uid,
    end() {
      const pid = asOwner(data, () => lockHolder(data));
      return pid !== null && endProcess(pid, owner);
    },
    runs(version, connected) {
      return asOwner(data, () => {
        const state = readAgentState(data);
        if (state?.version !== version || state.pid !== lockHolder(data)) return false;
        return !connected || state.link.state === 'up';
      });
    },
  };
}

/** With the permissions of the folder's owner, who wrote the process id. */
function endProcess(pid: number, owner: { uid: number; gid: number } | null): boolean {
  if (process.geteuid?.() !== 0 || owner === null || owner.uid === 0) return process.kill(pid, 'SIGTERM');
  const { uid, gid } = owner;
  const { status } = spawnSync('/bin/kill', ['-TERM', String(pid)], { uid, gid, stdio: 'ignore' });
  if (status !== 0) throw new InstallError(`the process ${pid} is not one of the agent's account`);
  return true;
}
