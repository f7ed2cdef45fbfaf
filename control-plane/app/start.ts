// What the start document says of an account.
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

/** @param macs the account's Macs; ended ones are not among them */
export function createStart(deps: {
  catalog: Catalog;
  macs: (accountId: number) => Promise<readonly StartMac[]>;
}): { facts(accountId: number): Promise<StartFacts> } {
  const { catalog, macs } = deps;
  return {
    async facts(accountId) {
      const [tiers, own, queue] = await Promise.all([
        catalog.list(accountId),
        macs(accountId),
        catalog.queueCounts(accountId),
      ]);
      return { tiers, macs: own, queue };
    },
  };
}
