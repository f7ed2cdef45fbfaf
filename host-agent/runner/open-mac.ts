import { systemClock } from '../../shared/clock.js';
import type { StartOrder } from '../contract/control.js';
import type { BuildMac } from '../driver/build-mac.js';
import { isVmSpec } from '../driver/driver.js';
import { createLocalDriver } from '../driver/local.js';
import { openDriver } from '../driver/open.js';
import { defaultBuildLimits, defaultGuestLimits } from '../limits.js';
import { createGuestMac } from './guest-mac.js';
import { createLocalMac } from './local-mac.js';

/** Returns the Mac of the build that a start message describes. */
export function openMac({ spec, driver, limits, data_dir }: StartOrder, ancestor?: number): BuildMac {
  const { endMarkWaitS, inputQuietMs, diskReserveBytes } = { ...defaultBuildLimits, ...limits };
  const build = { slotId: spec.slot_id, ref: spec };
  if (!isVmSpec(driver)) {
    const { data_dir: dataDir, applications_dir: applicationsDir } = driver;
    return createLocalMac({
      ...build,
      driver: createLocalDriver({ dataDir, applicationsDir }),
      ancestor,
      endMarkWaitS,
      inputQuietMs,
      clock: systemClock,
    });
  }
  return createGuestMac({
    ...build,
    driver: openDriver(driver),
    dataDir: data_dir,
    limits: { ...defaultGuestLimits, ...driver.guest_limits },
    diskReserveBytes,
    clock: systemClock,
  });
}
