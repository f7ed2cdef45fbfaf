import { z } from 'zod';
import type { TierAvailability } from '../../macs/domain/tier.js';
import { count, won } from '../../platform/http/values.js';
import type { TierOnSale } from '../app/catalog.js';
import { waitlistEntryShape, waitlistEntryView } from './waitlist-view.js';

const catalogTier = z
  .object({
    tier: z.string(),
    name: z.string(),
    price_won: won.meta({ title: 'For one Mac and period' }),
    period_hours: z.literal(24),
    spec: z.object({
      chip: z.string(),
      cpu_cores: z.number(),
      memory_gb: z.number(),
      disk_gb: z.number(),
      macos: z.string(),
    }),
    xcode_versions: z.array(z.string()),
    default_xcode: z.string().nullable(),
    runtimes: z.array(z.string()).meta({ description: 'Simulator runtimes' }),
    tools: z.array(z.string()),
    available_now: count.meta({ title: 'Macs that this account can order now' }),
    sales_open: z.boolean(),
    max_days: count.meta({
      title: 'The longest time that a Mac can be rented for, extensions included',
    }),
    waitlist: z.array(waitlistEntryShape).meta({ title: 'The account’s entries' }),
  })
  .meta({ id: 'CatalogTier', title: 'A kind of Mac, its price and its availability' });

export const catalogShape = z.object({ tiers: z.array(catalogTier) }).meta({ id: 'Catalog' });

const poolTier = z
  .object({
    tier: z.string(),
    total: count,
    free: count.meta({ title: 'Free for this account, whether it may order them now or not' }),
    reserved: count.meta({ description: 'Reserved for later, or held by an unpaid order' }),
    in_use: count,
    waiting_units: count.meta({ title: 'Macs requested on the waitlist' }),
  })
  .meta({ id: 'PoolTier', description: 'Macs of a tier, of all accounts' });

export const poolShape = z
  .object({
    tiers: z.array(poolTier),
    queue: z.object({ running_count: count, queued_count: count }).meta({ title: 'Builds of the account' }),
  })
  .meta({ id: 'Pool' });

export function catalogTierView({ tier, availability, waitlist }: TierOnSale): z.infer<typeof catalogTier> {
  return {
    tier: tier.tier,
    name: tier.name,
    price_won: tier.priceWon,
    period_hours: 24,
    spec: { ...tier.spec },
    xcode_versions: [...tier.xcodeVersions],
    default_xcode: tier.defaultXcode,
    runtimes: [...tier.runtimes],
    tools: [...tier.tools],
    available_now: availability.orderable,
    sales_open: tier.salesOpen,
    max_days: tier.maxDays,
    waitlist: waitlist.map(waitlistEntryView),
  };
}

export function poolTierView({
  inUse,
  waitingUnits,
  orderable: _,
  ...availability
}: TierAvailability): z.infer<typeof poolTier> {
  return { ...availability, in_use: inUse, waiting_units: waitingUnits };
}
