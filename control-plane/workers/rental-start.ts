import { beginDueRentals, type ProvisioningDeps } from '../app/provisioning.js';
import { LONGEST_PERIOD_MS, type Worker } from './worker.js';

/** Begins reservations whose time has come, as soon as their slot is empty. */
export function createRentalStart(deps: ProvisioningDeps): Worker {
  return {
    name: 'rental-start',
    periodMs: LONGEST_PERIOD_MS,
    wakeOn: ['orders', 'stock'],
    run: () => beginDueRentals(deps),
  };
}
