import path from 'node:path';
import type { Log } from '../../shared/log.js';
import { defaultVmLimits } from '../limits.js';
import type { DriverSpec, MacDriver } from './driver.js';
import { createLocalDriver } from './local.js';
import { createLume } from './lume/lume.js';
import { createTart } from './tart/tart.js';
import type { VmTool } from './vm/tool.js';
import { createVmDriver } from './vm/vm-driver.js';

/**
 * Opens the driver of a spec in this process.
 *
 * @param daemon only in the daemon, which creates Macs: the password of images, and a log
 */
export function openDriver(
  spec: DriverSpec,
  daemon: { password: string | null; log?: Log } = { password: null },
): MacDriver {
  if (spec.kind === 'local') {
    return createLocalDriver({ dataDir: spec.data_dir, applicationsDir: spec.applications_dir });
  }
  return createVmDriver({ spec, tool: openTool(spec), ...daemon });
}

/** Opens the tool of a driver of virtual machines. */
export function openTool(spec: Exclude<DriverSpec, { kind: 'local' }>): VmTool {
  const { data_dir, path: executable, home, pull_concurrency: pullConcurrency } = spec;
  const limits = () => ({ ...defaultVmLimits, ...spec.limits });
  const common = { path: executable, outputDir: path.join(data_dir, 'vm-output'), limits };
  return spec.kind === 'tart'
    ? createTart({ ...common, home, pullConcurrency })
    : createLume({ ...common, home: home ?? path.join(data_dir, 'lume') });
}
