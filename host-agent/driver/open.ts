import type { DriverSpec, MacDriver } from './driver.js';
import { createLocalDriver } from './local.js';

/** Opens the driver of a spec in this process. */
export function openDriver(spec: DriverSpec): MacDriver {
  return createLocalDriver({ dataDir: spec.data_dir, applicationsDir: spec.applications_dir });
}
