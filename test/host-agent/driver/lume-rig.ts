// The lume driver over the stand-in of lume.
import type { VmDriverSpec } from '../../../host-agent/driver/driver.js';
import { createLume } from '../../../host-agent/driver/lume/lume.js';
import type { LumeHost } from '../../harness/vm/lume-host.js';
import { quickSpec, quickVmLimits, rigOf } from './tart-rig.js';

export type LumeSpec = VmDriverSpec & { kind: 'lume' };

export function lumeRig(host: LumeHost, given: Partial<LumeSpec> = {}) {
  const { limits, ...rest } = given;
  const spec: LumeSpec = {
    ...quickSpec(host),
    kind: 'lume',
    guest: 'ssh',
    user: 'lume',
    pull_concurrency: 1,
    ...rest,
    // Each check of a virtual machine starts three processes.
    limits: { ...quickVmLimits, bootPollMs: 100, ...limits },
  };
  return rigOf(spec, 'lume', host.env, (of) => createLume({ path: spec.path, home: host.home, ...of }));
}
