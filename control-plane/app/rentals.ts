// Macs: made, found ready or lost by their host.
import type { DesiredMac, MacFact } from '../../shared/protocol/index.js';
import { ApiError } from '../domain/error-catalog.js';
import { newId } from '../domain/ids.js';
import { HOUR_MS, isActive, type Mac } from '../domain/rental.js';
import { findAnyBuild } from '../store/builds.js';
import { changeRental, hostOfSlot, insertRental, readMacs, readMacsOfHost } from '../store/rentals.js';
import type { Transaction } from '../store/sql.js';
import { type EndDeps, endLost } from './build-end.js';
import type { KeyedLock } from './keyed-lock.js';

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
  /** Records what is in the slots of this host. */
  macFacts(hostId: string, facts: readonly MacFact[]): Promise<void>;
  /**
   * Rents a free slot to an account without an order; it starts as preparing. Answers the rental id.
   *
   * @throws ApiError no_capacity when the slot is not there or has a Mac already
   */
  create(rental: NewRental): Promise<string>;
  /** The account's rentals that have not ended, oldest first. */
  list(accountId: number): Promise<Mac[]>;
}

export interface RentalsDeps extends EndDeps {
  readonly lock: KeyedLock;
}

export function createRentals(deps: RentalsDeps): Rentals {
  const { store, clock, wake, lock } = deps;

  const changed = (tx: Transaction, mac: { accountId: number; hostId: string }) =>
    tx.onCommit(() => {
      wake.wake('builds', String(mac.accountId));
      wake.wake('scheduler', String(mac.accountId));
      wake.wake('host', mac.hostId);
    });

  const prepared = (mac: Mac) =>
    store.transaction(async (tx) => {
      const now = clock.now();
      // The bought time begins once, however often the Mac is made anew.
      const begin = { readyAt: now, startsAt: now, endsAt: now + mac.hours * HOUR_MS };
      if (await changeRental(tx, mac, 'prepared', mac.readyAt === null ? begin : {})) changed(tx, mac);
    });

  const lost = async (mac: Mac) => {
    const gone = await store.transaction(async (tx) => {
      const done = await changeRental(tx, mac, 'lost', { buildId: null });
      if (done) changed(tx, mac);
      return done;
    });
    const { buildId } = mac;
    if (!gone || buildId === null) return;
    await lock.run(buildId, async () => {
      const build = await findAnyBuild(store, buildId);
      if (build?.status === 'running' && build.rentalId === mac.rentalId) {
        await endLost(deps, build, 'mac_lost');
      }
    });
  };

  return {
    async desiredMacs(hostId) {
      const macs = await readMacsOfHost(store, hostId);
      return macs.filter(isActive).map((mac) => ({
        slot_id: mac.slotId,
        rental_id: mac.rentalId,
        account_id: mac.accountId,
        generation: mac.generation,
        xcode: mac.xcode,
      }));
    },

    async macFacts(hostId, facts) {
      const macs = new Map((await readMacsOfHost(store, hostId)).map((mac) => [mac.rentalId, mac]));
      for (const fact of facts) {
        const mac = fact.rental_id === null ? undefined : macs.get(fact.rental_id);
        if (!mac || mac.slotId !== fact.slot_id || mac.generation !== fact.generation) continue;
        if (fact.state === 'ready') {
          if (mac.state === 'preparing') await prepared(mac);
        } else if (mac.state === 'ready' || (mac.state === 'building' && fact.state === 'failed')) {
          // A host that looks at its Macs anew may call them preparing while builds go on in them.
          await lost(mac);
        }
      }
    },

    create: ({ accountId, slotId, tier, xcode, hours }) =>
      store.transaction(async (tx) => {
        const now = clock.now();
        const rentalId = newId('rt');
        const hostId = await hostOfSlot(tx, slotId);
        const row = { rentalId, accountId, slotId, tier, xcode, hours, now, state: 'preparing' } as const;
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
