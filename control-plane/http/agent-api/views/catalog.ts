import { z } from 'zod';
import type { Tier, TierStock } from '../../../domain/tier.js';

const count = z.int().min(0);

const waitlistEntry = z
  .object({
    id: z.string(),
    tier: z.string(),
    units: z.int().min(1),
    status: z.enum(['waiting', 'notified', 'cancelled']),
    position: z.int().nullable(),
    created_at: z.string(),
    notified_at: z.string().nullable(),
  })
  .meta({ id: 'WaitlistEntry' });

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
    waitlist: z.array(waitlistEntry),
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

export function catalogTierView(tier: Tier, stock: TierStock): z.infer<typeof catalogTier> {
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
    waitlist: [],
  };
}

export function poolTierView({ inUse, ...stock }: TierStock): z.infer<typeof poolTier> {
  return { ...stock, in_use: inUse, waiting_units: 0 };
}
