import path from 'node:path';
import type { Log } from '../../shared/log.js';
import { defaultVmLimits } from '../limits.js';
import { type DriverSpec, isVmSpec, type MacDriver, type VmDriverSpec } from './driver.js';
import { createLocalDriver } from './local.js';
import type { VmTool } from './vm/tool.js';
import { createVmDriver } from './vm/vm-driver.js';
import { vmToolOf } from './vm-tools.js';

/**
 * Opens the driver of a spec in this process.
 *
 * @param daemon only in the daemon, which creates Macs: the password of images, and a log
 */
export function openDriver(
  spec: DriverSpec,
  daemon: { password: string | null; log?: Log } = { password: null },
): MacDriver {
  if (isVmSpec(spec)) return createVmDriver({ spec, tool: openTool(spec), ...daemon });
  return createLocalDriver({ dataDir: spec.data_dir, applicationsDir: spec.applications_dir });
}

/** Opens the tool of a driver of virtual machines. */
export function openTool({ kind, data_dir, home, pull_concurrency, ...spec }: VmDriverSpec): VmTool {
  const limits = () => ({ ...defaultVmLimits, ...spec.limits });
  const outputDir = path.join(data_dir, 'vm-output');
  return vmToolOf(kind).open({ path: spec.path, data_dir, home, pull_concurrency, outputDir, limits });
}
