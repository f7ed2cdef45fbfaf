// `cidermill host-agent upgrade`: installs a version from an archive on this machine.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { systemClock } from '../../shared/clock.js';
import { unless } from '../../shared/errno.js';
import { readAgentState } from '../daemon/agent-state.js';
import { configPath, daemonLimitsOf, readConfig } from '../daemon/config.js';
import { InstallError } from '../installation/install-error.js';
import { type InstalledVersion, installedHere } from '../installation/paths.js';
import { type DaemonByHand, upgradeByHand } from '../installation/upgrade-by-hand.js';
import { defaultDaemonLimits } from '../limits.js';
import { lockHolder } from '../system/lock.js';
import { dataOption } from './options.js';

interface UpgradeFlags {
  readonly data: string;
  readonly sha256?: string;
  readonly offline?: boolean;
}

export function upgradeCommand(): Command {
  return new Command('upgrade')
    .exitOverride()
    .description('install another version of the agent from a package on this machine; builds go on')
    .argument('<package>', 'cidermill-host-agent-VERSION-PLATFORM.tar.gz')
    .addOption(dataOption())
    .option('--sha256 <hex>', 'checksum of the package, from SHA256SUMS of the service')
    .option('--offline', 'keep the version even if it cannot connect to the service')
    .action((archive: string, flags: UpgradeFlags) => upgrade(resolve(archive), flags));
}

async function upgrade(archive: string, { data, sha256, offline = false }: UpgradeFlags): Promise<void> {
  const installation = installedHere();
  if (installation === null) {
    throw new InstallError('this command does not run from an installed package; install one first');
  }
  if (!existsSync(archive)) throw new InstallError(`there is no file ${archive}`);
  const config = configPath(data);
  const aborted = new AbortController();
  const abort = () => aborted.abort(new InstallError('interrupted'));
  process.on('SIGINT', abort);
  try {
    await upgradeByHand({
      ...{ installation, archive, sha256: sha256?.toLowerCase() ?? null, offline },
      daemon: daemonOf(data, installation),
      limits: existsSync(config) ? daemonLimitsOf(readConfig(config)) : defaultDaemonLimits,
      say: (text) => process.stdout.write(`${text}\n`),
      ...{ clock: systemClock, signal: aborted.signal },
    });
  } finally {
    process.off('SIGINT', abort);
  }
}

function daemonOf(data: string, { versions }: InstalledVersion): DaemonByHand {
  const uid = unless(['ENOENT'], () => statSync(data).uid);
  return {
    ownsVersions: uid === undefined || uid === 0 || uid === statSync(versions).uid,
    end() {
      const pid = lockHolder(data);
      if (pid !== null) process.kill(pid, 'SIGTERM');
      return pid !== null;
    },
    runs(version, connected) {
      const state = readAgentState(data);
      if (state?.version !== version || state.pid !== lockHolder(data)) return false;
      return !connected || state.link.state === 'up';
    },
  };
}
