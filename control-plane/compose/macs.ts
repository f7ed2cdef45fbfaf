// Macs: hosts' reports, and changes of Macs.

import { repairDegradations } from '../macs/app/delayed-repairs.js';
import { failingMacDegradations } from '../macs/app/failing-macs.js';
import { imageDegradations } from '../macs/app/host-images.js';
import { createJobs } from '../macs/app/jobs.js';
import type { MacFactsDeps } from '../macs/app/mac-facts.js';
import { createMacHistory } from '../macs/app/mac-history.js';
import { createMacs } from '../macs/app/macs.js';
import { createMaintenance, type MaintenanceDeps } from '../macs/app/maintenance.js';
import { createReportedMacs } from '../macs/app/reported-macs.js';
import { newMacWindowMs } from '../macs/domain/maintenance.js';
import { createJobRoutes } from '../macs/http/api-jobs.js';
import { createMacHistoryRoutes } from '../macs/http/api-mac-history.js';
import { createMaintenanceRoutes } from '../macs/http/api-maintenance.js';
import { shiftMacs } from '../macs/store/open-spans.js';
import { macWorkers } from '../macs/workers/table.js';
import type { Transaction } from '../platform/store/sql.js';
import type { Platform } from './platform.js';

/** Callbacks of builds and renting for changes of a Mac. */
export type MacListeners = Pick<MacFactsDeps, 'macReady' | 'macAvailable' | 'buildLost'> &
  Pick<MaintenanceDeps, 'stopBuild'>;

export function composeMacs(platform: Platform, listeners: MacListeners) {
  const deps = { ...platform, ...listeners, reportedMacs: createReportedMacs() };
  return {
    reportedMacs: deps.reportedMacs,
    macs: createMacs(deps),
    apiRoutes: [
      ...createMaintenanceRoutes({ ...platform, maintenance: createMaintenance(deps) }),
      ...createJobRoutes({ jobs: createJobs(deps) }),
      ...createMacHistoryRoutes({ ...platform, history: createMacHistory(platform) }),
    ],
    workers: macWorkers(deps),
    shiftSpans: (tx: Transaction, ms: number) => shiftMacs(tx, ms, newMacWindowMs(platform.limits)),
    degradations: [
      () => failingMacDegradations(platform.store),
      () => repairDegradations(platform.store),
      () => imageDegradations(platform.store),
    ],
  };
}
