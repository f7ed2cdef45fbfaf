import { HOUR_MS } from '../../macs/domain/rental.js';
import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import { endDueRentals, type RentalEndDeps } from '../app/rental-end.js';

/** Ends rentals whose bought time is over. */
export function createRentalEndWorker(deps: RentalEndDeps): Worker {
  return {
    name: 'rental-end',
    // Time is bought in hours.
    periodMs: periodWithin(HOUR_MS),
    // An extension that kept a Mac beyond its time may have expired; a cancelled order's Macs end at once.
    wakeOn: ['orders'],
    run: () => endDueRentals(deps),
  };
}
