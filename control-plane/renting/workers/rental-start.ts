import { LONGEST_PERIOD_MS, type Worker } from '../../platform/workers/worker.js';
import { beginDueRentals, type ProvisioningDeps } from '../app/provisioning.js';

/** Begins reservations whose time has come, as soon as their slot is empty. */
export function createRentalStart(deps: ProvisioningDeps): Worker {
  return {
    name: 'rental-start',
    periodMs: LONGEST_PERIOD_MS,
    wakeOn: ['orders', 'stock'],
    run: () => beginDueRentals(deps),
  };
}
