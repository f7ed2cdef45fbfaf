import type { StartOrder } from '../contract/control.js';
import type { BuildMac } from '../driver/build-mac.js';
import { createLocalDriver } from '../driver/local.js';
import { defaultBuildLimits } from '../limits.js';
import { createLocalMac } from './local-mac.js';

/** Returns the Mac of the build that a start message describes. */
export function openMac(order: StartOrder, ancestor?: number): BuildMac {
  const { spec, driver } = order;
  if (driver.kind !== 'local') throw new RangeError(`no builds with the driver ${driver.kind} yet`);
  const { endMarkWaitS } = { ...defaultBuildLimits, ...order.limits };
  return createLocalMac({
    driver: createLocalDriver({ dataDir: driver.data_dir, applicationsDir: driver.applications_dir }),
    slotId: spec.slot_id,
    ref: spec,
    ancestor,
    endMarkWaitS,
  });
}
