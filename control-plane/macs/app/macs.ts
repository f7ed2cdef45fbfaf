// Rentals and their Macs: rented without an order, listed, desired of their hosts.
import type { DesiredMac, MacFact } from '../../../shared/protocol/index.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Transaction } from '../../platform/store/sql.js';
import { HOUR_MS, isActive, type Mac } from '../domain/mac.js';
import { desiredMacOf } from '../domain/maintenance.js';
import { hostOfSlot, insertRental, readMacs, readMacsOfHost } from '../store/macs.js';
import { createMacFacts, type MacFactsDeps } from './mac-facts.js';

export interface NewRental {
  readonly accountId: number;
  readonly slotId: string;
  readonly tier: string;
  readonly xcode: string | null;
  /** Bought time; it starts to run when the host first reports the Mac ready. */
  readonly hours: number;
}

export interface Rentals {
  /** What should be in the slots of this host. */
  desiredMacs(hostId: string): Promise<DesiredMac[]>;
  /** Records what is in the slots of this host; `all`: it has no other Macs than these. */
  macFacts(hostId: string, facts: readonly MacFact[], all?: boolean): Promise<void>;
  /**
   * Rents a free slot to an account without an order; it starts as preparing. Answers the rental id.
   *
   * @throws ApiError no_capacity when the slot is not there or has a Mac already
   */
  create(rental: NewRental): Promise<string>;
  /** The account's rentals that have not ended, oldest first. */
  list(accountId: number): Promise<Mac[]>;
}

export type RentalsDeps = MacFactsDeps;

export function createRentals(deps: RentalsDeps): Rentals {
  const { store, clock, wake } = deps;

  const changed = (tx: Transaction, mac: { accountId: number; hostId: string }) =>
    tx.onCommit(() => {
      wake.wake('builds', String(mac.accountId));
      wake.wake('scheduler', String(mac.accountId));
      wake.wake('host', mac.hostId);
    });

  return {
    async desiredMacs(hostId) {
      const macs = await readMacsOfHost(store, hostId);
      // A Mac that the host takes away does not come back.
      await store.durable();
      return macs.filter(isActive).map(desiredMacOf);
    },

    macFacts: createMacFacts(deps),

    create: ({ accountId, slotId, tier, xcode, hours }) =>
      store.transaction(async (tx) => {
        const now = clock.now();
        const rentalId = newId('rt');
        const hostId = await hostOfSlot(tx, slotId);
        const row = {
          rentalId,
          accountId,
          orderNo: null,
          slotId,
          tier,
          xcode,
          hours,
          now,
          state: 'preparing',
        } as const;
        const times = { startsAt: now, endsAt: now + hours * HOUR_MS };
        if (hostId === null || !(await insertRental(tx, { ...row, ...times }))) {
          throw new ApiError('no_capacity');
        }
        changed(tx, { accountId, hostId });
        return rentalId;
      }),

    list: (accountId) => readMacs(store, accountId),
  };
}
