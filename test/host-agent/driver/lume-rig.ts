// The lume driver over the stand-in of lume.
import path from 'node:path';
import type { MacDriver, VmDriverSpec } from '../../../host-agent/driver/driver.js';
import { createLume } from '../../../host-agent/driver/lume/lume.js';
import type { VmTool } from '../../../host-agent/driver/vm/tool.js';
import { createVmDriver } from '../../../host-agent/driver/vm/vm-driver.js';
import { defaultVmLimits } from '../../../host-agent/limits.js';
import { createLog } from '../../../shared/log.js';
import type { LumeHost } from '../../harness/vm/lume-host.js';
import { quickVmLimits } from './tart-rig.js';

export type LumeSpec = VmDriverSpec & { kind: 'lume' };

export interface LumeRig {
  readonly dataDir: string;
  readonly spec: LumeSpec;
  readonly tool: VmTool;
  /** Opens a driver, as another agent on the same data folder would. */
  open(options?: { password?: string; freeBytes?: () => Promise<number> }): MacDriver;
}

export function lumeRig(host: LumeHost, given: Partial<LumeSpec> = {}): LumeRig {
  const dataDir = path.join(path.dirname(host.home), 'data');
  const { limits, ...rest } = given;
  const spec: LumeSpec = {
    kind: 'lume',
    data_dir: dataDir,
    path: host.path,
    home: host.home,
    guest: 'ssh',
    user: 'lume',
    name_prefix: 'cidermill-',
    pull_concurrency: 1,
    slots: 2,
    warm_spares: 0,
    runtimes_dir: null,
    guest_limits: {},
    software_limits: {},
    ...rest,
    // Each check of a virtual machine starts three processes.
    limits: { ...quickVmLimits, bootPollMs: 100, ...limits },
  };
  const tool = createLume({
    path: spec.path,
    home: host.home,
    env: host.env,
    outputDir: path.join(dataDir, 'vm-output'),
    limits: () => ({ ...defaultVmLimits, ...spec.limits }),
  });
  const log = createLog('driver', process.env.TEST_LOG === undefined ? 'silent' : 'debug');
  return {
    dataDir,
    spec,
    tool,
    open: (options = {}) => createVmDriver({ tool, spec, password: 'lume', log, ...options }),
  };
}
