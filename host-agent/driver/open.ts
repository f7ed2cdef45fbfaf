import type { DriverSpec, MacDriver } from './driver.js';
import { createLocalDriver } from './local.js';

/** The driver that a spec names, in this process. */
export function openDriver(spec: DriverSpec): MacDriver {
  return createLocalDriver({ dataDir: spec.data_dir, applicationsDir: spec.applications_dir });
}
