// Hosts of every kind for the suites that all drivers pass: folders of this machine, and the stand-ins of tart and lume.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import type { AttemptRef } from '../../../host-agent/contract/attempt-folder.js';
import type { BuildMac } from '../../../host-agent/driver/build-mac.js';
import type { MacDriver, VmDriverSpec } from '../../../host-agent/driver/driver.js';
import { GUEST_ROOT } from '../../../host-agent/driver/guest-access.js';
import { createLocalDriver, type LocalDriver } from '../../../host-agent/driver/local.js';
import type { VmTool } from '../../../host-agent/driver/vm/tool.js';
import { createVmDriver } from '../../../host-agent/driver/vm/vm-driver.js';
import { runInGuest } from '../../../host-agent/guest/run.js';
import { defaultGuestLimits } from '../../../host-agent/limits.js';
import { createGuestMac } from '../../../host-agent/runner/guest-mac.js';
import { createLocalMac } from '../../../host-agent/runner/local-mac.js';
import { type Clock, systemClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import type { DesiredMac } from '../../../shared/protocol/index.js';
import { type LumeFault, openLumeHost } from '../../harness/vm/lume-host.js';
import { type Fault, openTartHost } from '../../harness/vm/tart-host.js';
import { tempFolder } from '../runner/rig.js';
import { lumeRig } from './lume-rig.js';
import { tartRig } from './tart-rig.js';

const run = promisify(execFile);

export interface DriverHost {
  readonly kind: MacDriver['kind'];
  /** The image from which Macs are created; null with the local driver. */
  readonly model: Pick<DesiredMac, 'image' | 'image_digest'>;
  /** Xcodes that a Mac has here, the selected one first. */
  readonly xcodes: readonly string[];
  /** Opens a driver on the host's data folder, as each agent does that is started here. */
  open(): MacDriver;
  /** Runs a script as builds' processes run in the Mac, and returns its output. */
  sh(driver: MacDriver, slotId: string, script: string, env?: Record<string, string>): Promise<string>;
  /** Folders in the Mac: that of all work folders, and one that a reset with keep_cache keeps. */
  folders(driver: MacDriver, slotId: string): { work: string; cache: string };
  /** Opens the Mac of a slot for a build. */
  buildMac(driver: MacDriver, slotId: string, ref: AttemptRef): BuildMac;
  /** All files on this host that belong to Macs. */
  traces(): Promise<string[]>;
}

/** A host whose Macs are virtual machines. */
export interface VmHost extends DriverHost {
  readonly tool: VmTool;
  /** Opens a driver over another tool or clock. */
  openOver(given: { tool?: VmTool; clock?: Clock }): MacDriver;
  fault(name: Fault, value?: string, times?: number): void;
  mend(name: Fault): void;
  /** Ends a machine, as a crash does. */
  kill(vm: string): Promise<void>;
}

export type OpenHost = (t: Test) => Promise<DriverHost>;

const within = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).map((name) => `${path.basename(folder)}/${name}`) : [];

export const openLocal: OpenHost = async (t) => {
  const dataDir = tempFolder(t);
  return {
    kind: 'local',
    model: { image: null, image_digest: null },
    xcodes: [],
    open: () => createLocalDriver({ dataDir, applicationsDir: '/nowhere' }),
    async sh(driver, slotId, script, env = {}) {
      const local = driver as LocalDriver;
      const launch = local.launch(slotId, ['/bin/sh', '-c', script], env, local.paths(slotId).work);
      return (await run(launch.file, launch.args, { cwd: launch.cwd, env: launch.env })).stdout;
    },
    folders(driver, slotId) {
      const { work, caches } = (driver as LocalDriver).paths(slotId);
      return { work, cache: caches };
    },
    buildMac: (driver, slotId, ref) =>
      createLocalMac({
        driver: driver as LocalDriver,
        slotId,
        ref,
        endMarkWaitS: 10,
        inputQuietMs: 5_000,
        clock: systemClock,
      }),
    traces: async () => within(path.join(dataDir, 'macs')),
  };
};

const IMAGE = 'ghcr.io/acme/macos:26';

/** What both kinds of hosts have in common. */
function vmHost(
  { dataDir, spec, tool }: { dataDir: string; spec: VmDriverSpec; tool: VmTool },
  password: string,
  rest: Pick<VmHost, 'model' | 'fault' | 'mend' | 'kill'>,
): VmHost {
  mkdirSync(dataDir, { recursive: true });
  const log = createLog('driver', process.env.TEST_LOG === undefined ? 'silent' : 'debug');
  const openOver: VmHost['openOver'] = (given) => createVmDriver({ tool, spec, password, log, ...given });
  return {
    kind: spec.kind,
    xcodes: ['26.1', '16.4'],
    tool,
    openOver,
    ...rest,
    open: () => openOver({}),
    async sh(driver, slotId, script, env = {}) {
      const access = await driver.guest(slotId);
      if (access === null) throw new Error('a virtual machine is expected');
      const argv = ['/bin/sh', '-c', script];
      return (await runInGuest(access.transport, argv, { env, timeoutMs: 60_000 })).stdout.toString();
    },
    folders: () => ({
      work: `${GUEST_ROOT}/work`,
      cache: `/Users/${spec.user}/Library/Developer/Xcode/DerivedData`,
    }),
    buildMac(driver, slotId, ref) {
      const limits = defaultGuestLimits;
      return createGuestMac({
        driver,
        dataDir,
        slotId,
        ref,
        limits,
        diskReserveBytes: 0,
        clock: systemClock,
      });
    },
    async traces() {
      const own = (await tool.list()).filter(({ name }) => name.startsWith(spec.name_prefix));
      const kept = ['macs', 'vms'].flatMap((folder) => within(path.join(dataDir, folder)));
      return [...own.map(({ name }) => name), ...kept];
    },
  };
}

export async function openTart(t: Test): Promise<VmHost> {
  const host = await openTartHost(t, { images: { [IMAGE]: { diskGb: 50 } } });
  return vmHost(tartRig(host), 'admin', {
    model: { image: IMAGE, image_digest: host.digests[IMAGE] ?? null },
    fault: host.fault,
    mend: host.mend,
    kill: (vm) => host.kill(vm),
  });
}

export async function openLume(t: Test): Promise<VmHost> {
  const host = await openLumeHost(t, { images: { [IMAGE]: { diskGb: 50 } } });
  return vmHost(lumeRig(host), 'lume', {
    model: { image: IMAGE, image_digest: host.digests[IMAGE] ?? null },
    fault: (name, ...rest) => host.fault(name as LumeFault, ...rest),
    mend: (name) => host.mend(name as LumeFault),
    kill: () => host.kill(),
  });
}
