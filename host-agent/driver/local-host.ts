// What the local driver reads of this machine: environment, commands, disk, inventory.
import { access, constants, readFile, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Inventory } from '../../shared/protocol/index.js';
import { parsePlist } from '../system/plist.js';

/** Returns the environment of a login on this host, without the agent's own configuration. */
export function hostEnvironment(): Record<string, string> {
  const { username } = os.userInfo();
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    LANG: process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8',
    SHELL: '/bin/bash',
    USER: username,
    LOGNAME: username,
  };
}

const COMMAND_NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$/;

/** Returns whether a build would find a command of that name. */
export async function isCommand(name: string): Promise<boolean> {
  if (!COMMAND_NAME.test(name)) return false;
  for (const folder of (hostEnvironment().PATH ?? '').split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const found = await access(path.join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}

/** Returns the free bytes of the disk that holds the data folder. */
export async function freeBytesOf(dataDir: string): Promise<number> {
  const disk = await statfs(path.resolve(dataDir));
  return disk.bavail * disk.bsize;
}

async function totalBytesOf(dataDir: string): Promise<number> {
  const disk = await statfs(path.resolve(dataDir));
  return disk.blocks * disk.bsize;
}

const SYSTEM_VERSION = '/System/Library/CoreServices/SystemVersion.plist';

/** Returns the version of macOS, e.g. `26.1`; null on other systems. @param file replaced by tests */
export async function macosVersion(file: string = SYSTEM_VERSION): Promise<string | null> {
  const xml = await readFile(file, 'utf8').catch(() => '');
  return parsePlist(xml).ProductVersion ?? null;
}

export async function inventoryOf(dataDir: string, xcodes: Inventory['xcodes']): Promise<Inventory> {
  const macos = await macosVersion();
  const chip = os.cpus()[0]?.model.trim();
  return {
    hostname: os.hostname(),
    os: `${os.type()} ${os.release()}`,
    ...(macos === null ? {} : { macos }),
    ...(chip ? { chip } : {}),
    arch: os.arch(),
    cpu_cores: os.availableParallelism(),
    memory_bytes: os.totalmem(),
    disk_free_bytes: await freeBytesOf(dataDir),
    disk_total_bytes: await totalBytesOf(dataDir),
    driver: 'local',
    xcodes,
  };
}
