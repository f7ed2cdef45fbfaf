// The checks of `cidermill host-agent doctor` that change nothing.
import { readdir } from 'node:fs/promises';
import type { MacDriver } from '../driver/driver.js';
import { type VmTool, type VmToolCode, VmToolError } from '../driver/vm/tool.js';
import { runtimeOfFile } from '../guest/software/runtime-names.js';
import type { LinkAddress } from '../system/request.js';
import { AnswerError, linkRequest } from '../system/request.js';
import type { Finding } from './report.js';

const GB = 1e9;
const gb = (bytes: number) => `${(bytes / GB).toFixed(1)} GB`;

/**
 * Checks the driver and its disk, and the tool that runs its virtual machines.
 *
 * @param tool null with the local driver
 * @example await checkDriver(driver, tart, 10e9) // [{ name: 'tart', ok: true, found: '2.36.0', fix: null }, …]
 */
export async function checkDriver(
  driver: Pick<MacDriver, 'kind' | 'inventory'>,
  tool: Pick<VmTool, 'kind' | 'version' | 'list'> | null,
  reserveBytes: number,
): Promise<Finding[]> {
  const { os, arch, disk_free_bytes: free, xcodes } = await driver.inventory();
  const full = `Free ${gb(reserveBytes - free)}: with less than ${gb(reserveBytes)} this host takes no builds.`;
  return [
    { name: 'driver', ok: true, found: `${driver.kind} on ${os}, ${arch}`, fix: null },
    ...(tool ? await checkTool(tool) : []),
    {
      name: 'disk',
      ok: free >= reserveBytes,
      found: `${gb(free)} free`,
      fix: free >= reserveBytes ? null : full,
    },
    ...(tool
      ? []
      : [
          {
            name: 'Xcode',
            ok: true,
            found: xcodes.map(({ version }) => version).join(', ') || 'none',
            fix: null,
          },
        ]),
  ];
}

/** macOS runs at most this many virtual machines with macOS. */
const MOST_RUNNING = 2;

async function checkTool(tool: Pick<VmTool, 'kind' | 'version' | 'list'>): Promise<Finding[]> {
  const name = tool.kind;
  try {
    const version = { name, ok: true, found: await tool.version(), fix: null };
    const running = (await tool.list()).filter(({ state }) => state === 'running').map((vm) => vm.name);
    const found = running.length === 0 ? 'none runs' : `running: ${running.join(', ')}`;
    return [
      version,
      { name: 'virtual machines', ok: true, found: `${found}; macOS runs ${MOST_RUNNING}`, fix: null },
    ];
  } catch (error) {
    const fix = error instanceof VmToolError ? (ADVICE[error.code] ?? null) : null;
    return [{ name, ok: false, found: error instanceof Error ? error.message : String(error), fix }];
  }
}

const ADVICE: Partial<Record<VmToolCode, string>> = {
  missing: 'Install it, put it on the agent’s PATH, or give its path in agent.json.',
  incompatible: 'Install the version that docs/drivers.md names.',
  limit_reached:
    'Stop other virtual machines. If none runs, restart this machine: macOS still counts one that has ended.',
  keychain_locked: 'Log in at the screen, or run `security unlock-keychain` as the agent’s user.',
};

/** Checks the simulator runtimes that the operator has fetched. */
export async function checkRuntimes(folder: string): Promise<Finding> {
  const name = 'runtimes';
  try {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.dmg'));
    const unknown = files.filter((file) => runtimeOfFile(file) === null);
    const known = files.flatMap((file) => runtimeOfFile(file) ?? []);
    const shown = known.map(
      ({ platform, version, build }) => `${platform} ${version}${build ? ` (${build})` : ''}`,
    );
    const fix = `Name it as xcodebuild -exportPath does (iphonesimulator_26.1_23B86.dmg): ${unknown.join(', ')}`;
    const found = shown.sort().join(', ') || `none in ${folder}`;
    return { name, ok: unknown.length === 0, found, fix: unknown.length === 0 ? null : fix };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return { name, ok: false, found, fix: 'Create the folder, or correct runtimes_dir in agent.json.' };
  }
}

/** Asks the service for its health with this host's network settings. */
export async function checkService(address: LinkAddress): Promise<Finding> {
  const name = 'service';
  try {
    const answer = await linkRequest(address, { method: 'GET', path: '/healthz', headers: {} });
    answer.body.resume();
    return { name, ok: true, found: `${address.siteUrl} answers`, fix: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof AnswerError) {
      return {
        name,
        ok: false,
        found: `${address.siteUrl}: ${reason}`,
        fix: 'Look at the log of the control plane.',
      };
    }
    const fix =
      'Check the address, the proxy and the certificate authorities (control_plane, https_proxy, ca_file).';
    return { name, ok: false, found: `${address.siteUrl} cannot be reached: ${reason}`, fix };
  }
}
