// Ends rentals, and announces their ends.
import { endMacWithBuilds, type MacEndDeps } from '../../builds/app/mac-end.js';
import { endMac } from '../../macs/app/making.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import { endRental, markAnnounced, readDueRentals, readEndingSoon } from '../store/rentals.js';
import { type RentingEventDeps, recordRentalEvent } from './renting-events.js';

// Retries if the rental's build changed between reading and locking.
const PASSES = 10;

/** Ends every rental that was ended early or has expired. Returns when the next one ends, or null. */
export async function endDueRentals(deps: MacEndDeps & RentingEventDeps): Promise<number | null> {
  const { store, clock, wake } = deps;
  for (let pass = 1; ; pass++) {
    const { due, nextAt } = await readDueRentals(store, clock.now());
    if (due.length === 0 || pass === PASSES) return nextAt;
    for (const seen of due) {
      await endMacWithBuilds(deps, seen, async (tx, mac) => {
        await recordRentalEvent(tx, deps, 'rental.ended', mac.rentalId);
        await endMac(tx, deps, mac);
        await endRental(tx, mac.rentalId, clock.now());
        tx.onCommit(() => {
          wake.wake('availability');
          wake.wake('orders', String(seen.accountId));
        });
      });
    }
  }
}

/** Announces the ends of rentals that come soon. Returns when the next one has to be announced, or null. */
export async function announceEnds(
  deps: RentingEventDeps & { readonly store: Store; readonly limits: Pick<Limits, 'rental_ends_soon_ms'> },
): Promise<number | null> {
  const { store, clock, limits } = deps;
  const now = clock.now();
  const { ending, nextAt } = await readEndingSoon(store, { now, until: now + limits.rental_ends_soon_ms });
  for (const { rentalId, endsAt } of ending) {
    await store.transaction(async (tx) => {
      if (await markAnnounced(tx, rentalId, endsAt)) {
        await recordRentalEvent(tx, deps, 'rental.ends_soon', rentalId);
      }
    });
  }
  return nextAt === null ? null : nextAt - limits.rental_ends_soon_ms;
}
