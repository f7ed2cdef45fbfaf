// The driver, its disk, and what it offers to builds.
import { readdir } from 'node:fs/promises';
import { runtimeOfFile } from '../../guest/software/runtime-names.js';
import { type Check, type CheckedHost, failed, notApplicable, ok, warning } from '../check.js';

const GB = 1e9;
const gb = (bytes: number) => `${(bytes / GB).toFixed(1)} GB`;
/** What a host of virtual machines should have free for the next image with an Xcode. */
const IMAGE_BYTES = 50 * GB;

const driver: Check = {
  ...{ check: 'driver', needs: 'any', drivers: 'all' },
  why: 'Says what this host makes Macs with.',
  help: '`driver` in `agent.json`',
  async look({ driver }) {
    const { os, arch } = await driver.inventory();
    return ok(`${driver.kind} on ${os}, ${arch}`);
  },
};

const disk: Check = {
  ...{ check: 'disk', needs: 'any', drivers: 'all' },
  why: 'With less free space than the reserve a host takes no builds. An image with Xcode takes 50 GB and more.',
  help: 'delete what is not needed, or `limits.build.diskReserveBytes` in `agent.json`',
  async look({ driver, tool, reserveBytes }) {
    const { disk_free_bytes: free } = await driver.inventory();
    const found = `${gb(free)} free`;
    if (free < reserveBytes) {
      const lacking = gb(reserveBytes - free);
      return failed(found, `Free ${lacking}: with less than ${gb(reserveBytes)} this host takes no builds.`);
    }
    if (tool === null || free >= IMAGE_BYTES) return ok(found);
    return warning(
      found,
      `Free ${gb(IMAGE_BYTES - free)}: an image with Xcode takes ${gb(IMAGE_BYTES)} and more.`,
    );
  },
};

const xcode: Check = {
  ...{ check: 'xcode', needs: 'any', drivers: 'local' },
  name: () => 'Xcode',
  why: 'Macs of the local driver use the Xcodes of the host.',
  help: 'install Xcode; `applications_dir` in `agent.json` says where',
  async look({ driver }) {
    const { xcodes } = await driver.inventory();
    return ok(xcodes.map(({ version }) => version).join(', ') || 'none');
  },
};

const runtimes: Check = {
  ...{ check: 'runtimes', needs: 'any', drivers: 'vm' },
  why: 'Simulator runtimes in `runtimes_dir` are recognized by their file names.',
  help: 'name the files as `xcodebuild -exportPath` does',
  async look({ config }) {
    const folder = config.driver === 'local' ? null : config[config.driver].runtimes_dir;
    return folder === null ? notApplicable('runtimes_dir is not set') : runtimesIn(folder);
  },
};

async function runtimesIn(folder: string) {
  let files: string[];
  try {
    files = (await readdir(folder)).filter((file) => file.endsWith('.dmg'));
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return failed(found, 'Create the folder, or correct runtimes_dir in agent.json.');
  }
  const unknown = files.filter((file) => runtimeOfFile(file) === null);
  const shown = files
    .flatMap((file) => runtimeOfFile(file) ?? [])
    .map(({ platform, version, build }) => `${platform} ${version}${build ? ` (${build})` : ''}`);
  const found = shown.sort().join(', ') || `none in ${folder}`;
  if (unknown.length === 0) return ok(found);
  const fix = `Name it as xcodebuild -exportPath does (iphonesimulator_26.1_23B86.dmg): ${unknown.join(', ')}`;
  return failed(found, fix);
}

const blocked: Check = {
  ...{ check: 'blocked', needs: 'any', drivers: 'vm' },
  why: 'The daemon reports why it cannot create Macs, e.g. a place for a virtual machine that macOS did not free.',
  help: 'as the message says; for a place that is not freed, drain the host and restart it',
  look: async (host) =>
    host.isDaemon ? blockOf(host) : notApplicable('known to the running agent; --try shows it'),
};

async function blockOf({ driver }: CheckedHost) {
  const { blocked: block } = await driver.inventory();
  if (!block) return ok('Macs can be created');
  const found = `${block.code ?? 'unknown'}: ${block.message}`;
  if (block.code !== 'vm_limit_leaked')
    return failed(found, 'Fix what the message names; the host then continues by itself.');
  return failed(
    found,
    'macOS still counts a virtual machine that has ended. Drain the host (cidermill admin host drain HOST --wait), then restart this machine (sudo shutdown -r now).',
  );
}

export const driverChecks = [driver, disk, xcode, runtimes, blocked] as const;
