import { endDueRentals, type RentalEndDeps } from '../app/rental-end.js';
import { periodWithin, type Worker } from './worker.js';

/** Ends rentals whose bought time is over. */
export function createRentalEndWorker(deps: RentalEndDeps): Worker {
  return {
    name: 'rental-end',
    // The shortest bought time is a day; an operator's tests may make shorter ones.
    periodMs: periodWithin(60_000),
    wakeOn: [],
    run: () => endDueRentals(deps),
  };
}
