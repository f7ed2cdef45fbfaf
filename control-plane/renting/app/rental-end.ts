// Ends rentals.
import { endMacWithBuilds, type MacEndDeps } from '../../builds/app/mac-end.js';
import { endMac } from '../../macs/app/making.js';
import { endRental, readDueRentals } from '../store/rentals.js';

// Retries if the rental's build changed between reading and locking.
const PASSES = 10;

/** Ends every rental that was ended early or has expired. Returns when the next one ends, or null. */
export async function endDueRentals(deps: MacEndDeps): Promise<number | null> {
  const { store, clock, wake } = deps;
  for (let pass = 1; ; pass++) {
    const { due, nextAt } = await readDueRentals(store, clock.now());
    if (due.length === 0 || pass === PASSES) return nextAt;
    for (const seen of due) {
      await endMacWithBuilds(deps, seen, async (tx, mac) => {
        await endMac(tx, deps, mac);
        await endRental(tx, mac.rentalId, clock.now());
        tx.onCommit(() => wake.wake('availability'));
      });
    }
  }
}
