import { int } from '../../platform/domain/fields.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type Tier, tierFields } from '../domain/tier.js';

export const tiers = table('tiers', tierFields, { createdAt: int() });

const { tier: _id, ...changeable } = tierFields;
const put = tiers.inserter({
  onConflict: `ON CONFLICT (tier) DO UPDATE
    SET ${tiers.excluded(...(Object.keys(changeable) as (keyof typeof changeable)[]))}`,
});

/** Creates the tier, or replaces all its fields except the id. */
export async function putTier(tx: Transaction, tier: Tier, now: number): Promise<void> {
  await put(tx, { ...tier, createdAt: now });
}

/** Returns the tier, or null. */
export function findTier(db: Queries, tier: string): Promise<Tier | null> {
  return tiers.get(db, 'WHERE tier = :tier', { tier });
}

/** Returns every tier, cheapest first. */
export function listTiers(db: Queries): Promise<Tier[]> {
  return tiers.all(db, 'ORDER BY price_won, tier');
}

const catalogs = tiers.pick('xcodeVersions');

/** Every Xcode version that some tier offers. */
export async function readXcodeCatalog(q: Queries): Promise<Set<string>> {
  return new Set((await catalogs.all(q, '')).flatMap(({ xcodeVersions }) => xcodeVersions));
}
