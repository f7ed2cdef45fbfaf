// The driver, its disk, and what it offers to builds.

import { readdir } from 'node:fs/promises';
import { isVirtual } from '../../../shared/drivers.js';
import { findingFix } from '../../../shared/messages/finding-fixes.js';
import { finding } from '../../../shared/messages/findings.js';
import { runtimeOfFile } from '../../guest/software/runtime-names.js';
import { type Check, type CheckedHost, failed, notApplicable, ok, warning } from '../check.js';

const GB = 1e9;
const gb = (bytes: number) => `${(bytes / GB).toFixed(1)} GB`;
/** What a host of virtual machines should have free for the next image with an Xcode. */
const IMAGE_BYTES = 50 * GB;

const driver: Check = {
  check: 'driver',
  needs: 'any',
  drivers: 'all',
  why: 'Shows the driver with which this host creates Macs.',
  help: '`driver` in `agent.json`',
  async look({ driver }) {
    const { os, arch } = await driver.inventory();
    return ok(finding('driver', { kind: driver.kind, os, arch }));
  },
};

const disk: Check = {
  check: 'disk',
  needs: 'any',
  drivers: 'all',
  why: 'With less free space than the reserve a host takes no builds. An image with Xcode takes 50 GB and more.',
  help: 'delete what is not needed, or `limits.build.diskReserveBytes` in `agent.json`',
  async look({ driver, tool, reserveBytes }) {
    const { disk_free_bytes: free } = await driver.inventory();
    const found = finding('free', { size: gb(free) });
    if (free < reserveBytes) {
      const lacking = gb(reserveBytes - free);
      return failed(found, findingFix('free_for_builds', { lacking, reserve: gb(reserveBytes) }));
    }
    if (tool === null || free >= IMAGE_BYTES) return ok(found);
    return warning(found, findingFix('free_for_image', { lacking: gb(IMAGE_BYTES - free), size: gb(IMAGE_BYTES) }));
  },
};

const xcode: Check = {
  check: 'xcode',
  needs: 'any',
  drivers: 'local',
  name: () => 'Xcode',
  why: 'Macs of the local driver use the Xcodes of the host.',
  help: 'install Xcode; `applications_dir` in `agent.json` says where',
  async look({ driver }) {
    const { xcodes } = await driver.inventory();
    return ok(xcodes.map(({ version }) => version).join(', ') || finding('none'));
  },
};

const runtimes: Check = {
  check: 'runtimes',
  needs: 'any',
  drivers: 'vm',
  why: 'Simulator runtimes in `runtimes_dir` are recognized by their file names.',
  help: 'name the files as `xcodebuild -exportPath` does',
  async look({ config }) {
    const folder = isVirtual(config.driver) ? config[config.driver].runtimes_dir : null;
    return folder === null ? notApplicable('runtimes_dir is not set') : runtimesIn(folder);
  },
};

async function runtimesIn(folder: string) {
  let files: string[];
  try {
    files = (await readdir(folder)).filter((file) => file.endsWith('.dmg'));
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return failed(found, findingFix('create_runtimes_folder'));
  }
  const unknown = files.filter((file) => runtimeOfFile(file) === null);
  const shown = files
    .flatMap((file) => runtimeOfFile(file) ?? [])
    .map(({ platform, version, build }) => `${platform} ${version}${build ? ` (${build})` : ''}`);
  const found = shown.sort().join(', ') || finding('none_in', { folder });
  if (unknown.length === 0) return ok(found);
  const fix = findingFix('name_runtimes', {
    example: 'iphonesimulator_26.1_23B86.dmg',
    files: unknown.join(', '),
  });
  return failed(found, fix);
}

const blocked: Check = {
  check: 'blocked',
  needs: 'any',
  drivers: 'vm',
  why: 'The daemon reports why it cannot create Macs, e.g. a place for a virtual machine that macOS did not free.',
  help: 'what the message says; for a place that macOS did not free, drain the host and restart it',
  look: async (host) => (host.isDaemon ? blockOf(host) : notApplicable('known to the running agent; --try shows it')),
};

async function blockOf({ driver }: CheckedHost) {
  const { blocked: block } = await driver.inventory();
  if (!block) return ok(finding('macs_possible'));
  const found = `${block.code ?? 'unknown'}: ${block.message}`;
  if (block.code !== 'vm_limit_leaked') return failed(found, findingFix('fix_what_it_names'));
  return failed(
    found,
    findingFix('restart_for_leaked_vm', {
      drain: 'cidermill admin host drain HOST --wait',
      restart: 'sudo shutdown -r now',
    }),
  );
}

export const driverChecks = [driver, disk, xcode, runtimes, blocked] as const;
