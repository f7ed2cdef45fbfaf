// The daemon's side of what a driver does and notices by itself.
import type { DesiredImage } from '../../shared/protocol/index.js';
import type { DriverWatch, MacDriver } from '../driver/driver.js';
import type { HostReports } from './host-reports.js';
import type { Reports } from './link/reports.js';
import type { MacReconciler } from './macs/mac-reconciler.js';

export function followDriver(
  driver: Pick<MacDriver, 'wantImages' | 'watch'>,
  parts: {
    macs: Pick<MacReconciler, 'reconcile'>;
    reports: () => Pick<Reports, 'macs' | 'images'>;
    host: () => Pick<HostReports, 'driverChanged'>;
  },
) {
  let watch: DriverWatch | null = null;
  let before: string | null = null;
  const macsChanged = () => {
    parts.macs.reconcile();
    parts.reports().macs();
  };
  return {
    /** Called when Macs have changed without the reconciler. */
    macsChanged,
    start() {
      watch = driver.watch({
        macs: macsChanged,
        images: () => parts.reports().images(),
        inventory: () => parts.host().driverChanged(),
      });
    },
    /** Passes on the images that a desire names, if they have changed. */
    wantImages(images: readonly DesiredImage[]) {
      const now = JSON.stringify(images);
      if (now === before) return;
      before = now;
      driver.wantImages(images);
      parts.reports().images(true);
    },
    async close() {
      await watch?.close();
    },
  };
}
