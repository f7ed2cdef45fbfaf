// Tiers, as operators manage them.
import type { Clock } from '../../../shared/clock.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Tier } from '../domain/tier.js';
import * as rows from '../store/tiers.js';

export type TierChange = Partial<Omit<Tier, 'tier' | 'spec'>> & { spec?: Partial<Tier['spec']> };

/** Returns the tier, or null. */
export function findTier(q: Queries, tier: string): Promise<Tier | null> {
  return rows.findTier(q, tier);
}

/** Returns every tier, cheapest first. */
export function listTiers(q: Queries): Promise<Tier[]> {
  return rows.listTiers(q);
}

export interface Tiers {
  /** Creates a tier. Throws invalid_request if the id is taken or a value is invalid. */
  add(tier: string, values: TierChange): Promise<Tier>;
  /** Changes the given fields. Throws invalid_tier if there is no such tier. */
  edit(tier: string, values: TierChange): Promise<Tier>;
  list(): Promise<Tier[]>;
}

const ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export function createTiers(deps: {
  store: Store;
  clock: Clock;
  wake: Pick<Wake, 'wake'>;
  limits: Limits;
}): Tiers {
  const { store, clock, wake, limits } = deps;
  const empty = (tier: string): Tier => ({
    tier,
    name: tier,
    priceWon: 0,
    spec: { chip: '', cpu_cores: 0, memory_gb: 0, disk_gb: 0, macos: '' },
    xcodeVersions: [],
    defaultXcode: null,
    runtimes: [],
    tools: [],
    image: null,
    salesOpen: true,
    maxDays: limits.max_rental_days,
  });
  const put = async (base: Tier, { spec, ...values }: TierChange, now: number) => {
    const tier = checked({ ...base, ...values, spec: { ...base.spec, ...spec } });
    await store.transaction(async (tx) => {
      await rows.putTier(tx, tier, now);
      // Its sales may have been opened.
      tx.onCommit(() => wake.wake('availability'));
    });
    return tier;
  };
  return {
    async add(tier, values) {
      if (!ID.test(tier))
        throw invalid('tier', 'A tier id has lower-case letters, digits, dots and hyphens.');
      if (await findTier(store, tier)) throw invalid('tier', `The tier ${tier} exists already.`);
      return put(empty(tier), values, clock.now());
    },
    async edit(tier, values) {
      const present = await findTier(store, tier);
      if (!present) throw new ApiError('invalid_tier', { message: `No tier ${tier}.` });
      return put(present, values, clock.now());
    },
    list: () => listTiers(store),
  };
}

function checked(tier: Tier): Tier {
  const whole = { priceWon: tier.priceWon, maxDays: tier.maxDays };
  for (const [field, value] of Object.entries(whole)) {
    if (!Number.isSafeInteger(value) || value < 0) throw invalid(field, `${field} must be a whole number.`);
  }
  for (const [field, value] of Object.entries(tier.spec)) {
    if (typeof value === 'number' && !(value >= 0)) throw invalid(field, `${field} must be a number.`);
  }
  const versions = unique(tier.xcodeVersions);
  const preferred = tier.defaultXcode ?? versions.at(-1) ?? null;
  if (preferred !== null && !versions.includes(preferred)) {
    throw invalid('default_xcode', `${preferred} is not among the Xcode versions of the tier.`);
  }
  return {
    ...tier,
    xcodeVersions: versions,
    runtimes: unique(tier.runtimes),
    tools: unique(tier.tools),
    defaultXcode: preferred,
  };
}

/** Returns the values without duplicates, in the given order. */
const unique = (names: readonly string[]): string[] => [...new Set(names)];

function invalid(field: string, message: string): ApiError {
  return new ApiError('invalid_request', { message, detail: { fields: [field] } });
}
