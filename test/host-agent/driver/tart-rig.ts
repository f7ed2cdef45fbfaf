// The tart driver over the stand-in of tart.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import type { MacDriver, VmDriverSpec } from '../../../host-agent/driver/driver.js';
import { createTart } from '../../../host-agent/driver/tart/tart.js';
import type { VmTool } from '../../../host-agent/driver/vm/tool.js';
import { createVmDriver } from '../../../host-agent/driver/vm/vm-driver.js';
import { defaultVmLimits, type VmLimits } from '../../../host-agent/limits.js';
import { createLog } from '../../../shared/log.js';
import type { DesiredMac } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import type { TartHost } from '../../harness/vm/tart-host.js';

export const IMAGE = 'ghcr.io/acme/macos:26';

/** Short times for the stand-in, and no reserved disk space. */
export const quickVmLimits = {
  bootPollMs: 200,
  watchMs: 400,
  blockedProbeMs: 100,
  shutdownMs: 3000,
  stopS: 2,
  growthBytes: 0,
  pullBytes: 0,
  reserveBytes: 0,
};

export type TartSpec = VmDriverSpec & { kind: 'tart' };

/** What the specs of both kinds have in common. */
export const quickSpec = ({ home, path: file }: { home: string; path: string }) => ({
  data_dir: path.join(path.dirname(home), 'data'),
  path: file,
  home,
  name_prefix: 'cidermill-',
  slots: 2,
  warm_spares: 0,
  runtimes_dir: null,
  guest_limits: {},
  software_limits: {},
});

/** The rig of a spec: `createTool` is what makes its tool. */
export function rigOf<S extends VmDriverSpec>(
  spec: S,
  password: string,
  env: NodeJS.ProcessEnv,
  createTool: (options: { env: NodeJS.ProcessEnv; outputDir: string; limits: () => VmLimits }) => VmTool,
) {
  const outputDir = path.join(spec.data_dir, 'vm-output');
  const tool = createTool({ env, outputDir, limits: () => ({ ...defaultVmLimits, ...spec.limits }) });
  const log = createLog('driver', process.env.TEST_LOG === undefined ? 'silent' : 'debug');
  type Options = Partial<Pick<Parameters<typeof createVmDriver>[0], 'freeBytes' | 'tool' | 'clock' | 'password'>>;
  return {
    dataDir: spec.data_dir,
    spec,
    tool,
    /** Opens a driver, as another agent on the same data folder would. */
    open: (options: Options = {}): MacDriver => createVmDriver({ tool, spec, password, log, ...options }),
  };
}

export type TartRig = ReturnType<typeof tartRig>;

export function tartRig(host: TartHost, given: Partial<TartSpec> = {}) {
  const { limits, ...rest } = given;
  const spec: TartSpec = {
    ...quickSpec(host),
    kind: 'tart',
    guest: 'auto',
    user: 'admin',
    pull_concurrency: 4,
    ...rest,
    limits: { ...quickVmLimits, ...limits },
  };
  const { path: file, home } = spec;
  return rigOf(spec, 'admin', host.env, (of) => createTart({ path: file, home, pullConcurrency: 4, ...of }));
}

/** Like `until`, for conditions that start a process. */
export async function untilHost(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (const end = Date.now() + LONGEST_WAIT_MS; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`waited ${LONGEST_WAIT_MS} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const LONGEST_WAIT_MS = 180_000;

/** Names of all virtual machines, and of those that run, without starting tart: for conditions that are waited for. */
export const vmsOf = (host: TartHost): string[] => namesIn(path.join(host.home, 'vms'));
export const runningOf = (host: TartHost): string[] => namesIn(path.join(host.home, '.stand-in', 'running'));

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);

export const bringMac = (driver: MacDriver, want: DesiredMac) => createMacChanges(driver).bring(want, () => {});
export const vmNames = async (rig: TartRig) => (await rig.tool.list()).map((vm) => vm.name).sort();
/** What the service wants of a Mac on this host. */
export const macOn = (host: TartHost, given: Partial<DesiredMac> = {}) =>
  desiredMac({ slot_id: 's1', image: IMAGE, image_digest: host.digests[IMAGE] ?? null, ...given });

/** Runs the periodic work of the driver until the end of the test. */
export function watching(t: Test, driver: MacDriver) {
  const calls = { macs: 0, images: 0, inventory: 0 };
  const watch = driver.watch({
    macs: () => void calls.macs++,
    images: () => void calls.images++,
    inventory: () => void calls.inventory++,
  });
  t.teardown(() => watch.close());
  return calls;
}
