import { z } from 'zod';
import type { StockedTier } from '../../../app/catalog.js';
import type { TierStock } from '../../../domain/tier.js';
import { waitlistEntryShape, waitlistEntryView } from './waitlist.js';

const count = z.int().min(0);

const catalogTier = z
  .object({
    tier: z.string(),
    name: z.string(),
    price_won: count,
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
    runtimes: z.array(z.string()),
    tools: z.array(z.string()),
    available_now: count,
    sales_open: z.boolean(),
    max_days: count,
    waitlist: z.array(waitlistEntryShape),
  })
  .meta({ id: 'CatalogTier' });

export const catalogShape = z.object({ tiers: z.array(catalogTier) }).meta({ id: 'Catalog' });

const poolTier = z.object({
  tier: z.string(),
  total: count,
  free: count,
  reserved: count,
  in_use: count,
  waiting_units: count,
});

export const poolShape = z
  .object({
    tiers: z.array(poolTier),
    queue: z.object({ running_count: count, queued_count: count }),
  })
  .meta({ id: 'Pool' });

export function catalogTierView({ tier, stock, waitlist }: StockedTier): z.infer<typeof catalogTier> {
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
    available_now: stock.free,
    sales_open: tier.salesOpen,
    max_days: tier.maxDays,
    waitlist: waitlist.map(waitlistEntryView),
  };
}

export function poolTierView({ inUse, waitingUnits, ...stock }: TierStock): z.infer<typeof poolTier> {
  return { ...stock, in_use: inUse, waiting_units: waitingUnits };
}
