// What the start document says of an account.
import type { Clock } from '../../shared/clock.js';
import { remainingSeconds } from '../domain/rental.js';
import { readMacs } from '../store/rentals.js';
import type { Store } from '../store/sql.js';
import type { Catalog, StockedTier } from './catalog.js';

export interface StartFacts {
  readonly tiers: readonly StockedTier[];
  readonly macs: readonly StartMac[];
  readonly queue: { readonly running: number; readonly queued: number };
}

export interface StartMac {
  readonly rentalId: string;
  readonly tier: string;
  readonly state: string;
  readonly xcode: string | null;
  readonly remainingS: number;
}

export interface Start {
  facts(accountId: number): Promise<StartFacts>;
}

export function createStart(deps: { store: Store; clock: Clock; catalog: Catalog }): Start {
  const { store, clock, catalog } = deps;
  return {
    async facts(accountId) {
      const [tiers, macs, queue] = await Promise.all([
        catalog.list(accountId),
        readMacs(store, accountId),
        catalog.queueCounts(accountId),
      ]);
      const now = clock.now();
      return {
        tiers,
        macs: macs.map((mac) => ({
          rentalId: mac.rentalId,
          tier: mac.tier,
          state: mac.state,
          xcode: mac.xcode,
          remainingS: remainingSeconds(mac, now),
        })),
        queue,
      };
    },
  };
}
