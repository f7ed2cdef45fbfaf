// What can be rented, and how much of it there is.
import type { Tier, TierStock } from '../domain/tier.js';
import type { Store } from '../store/sql.js';
import { countActiveBuilds, listTiers, readStock } from '../store/tiers.js';

export interface StockedTier {
  readonly tier: Tier;
  readonly stock: TierStock;
}

export interface Catalog {
  /** Every tier, cheapest first, with its stock as the account may use it. */
  list(accountId: number): Promise<StockedTier[]>;
  /** How many builds of the account run and wait. */
  queueCounts(accountId: number): Promise<{ running: number; queued: number }>;
}

export function createCatalog({ store }: { store: Store }): Catalog {
  return {
    async list(accountId) {
      const [tiers, stocks] = await Promise.all([listTiers(store), readStock(store, accountId)]);
      return tiers.map((tier) => ({
        tier,
        stock: stocks.find((stock) => stock.tier === tier.tier) ?? {
          tier: tier.tier,
          total: 0,
          free: 0,
          reserved: 0,
          inUse: 0,
        },
      }));
    },
    queueCounts: (accountId) => countActiveBuilds(store, accountId),
  };
}
