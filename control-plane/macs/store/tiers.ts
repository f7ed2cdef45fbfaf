import { readStrings } from '../../platform/store/json-column.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Tier, TierSpec } from '../domain/tier.js';

interface Row {
  tier: string;
  name: string;
  price_won: number;
  spec: string;
  xcode_versions: string;
  default_xcode: string | null;
  runtimes: string;
  tools: string;
  image: string | null;
  sales_open: number;
  max_days: number;
}

const fromRow = (row: Row): Tier => ({
  tier: row.tier,
  name: row.name,
  priceWon: row.price_won,
  spec: readSpec(row.spec),
  xcodeVersions: readStrings(row.xcode_versions),
  defaultXcode: row.default_xcode,
  runtimes: readStrings(row.runtimes),
  tools: readStrings(row.tools),
  image: row.image,
  salesOpen: row.sales_open === 1,
  maxDays: row.max_days,
});

function readSpec(column: string): TierSpec {
  const value: unknown = JSON.parse(column);
  const field = (name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return {
    chip: String(field('chip') ?? ''),
    cpu_cores: Number(field('cpu_cores') ?? 0),
    memory_gb: Number(field('memory_gb') ?? 0),
    disk_gb: Number(field('disk_gb') ?? 0),
    macos: String(field('macos') ?? ''),
  };
}

/** Makes the tier, or replaces all of it but its id. */
export async function putTier(tx: Transaction, tier: Tier, now: number): Promise<void> {
  await tx.run(
    `INSERT INTO tiers (tier, name, price_won, spec, xcode_versions, default_xcode, runtimes, tools, image,
       sales_open, max_days, created_at)
     VALUES (:tier, :name, :priceWon, :spec, :xcodeVersions, :defaultXcode, :runtimes, :tools, :image,
       :salesOpen, :maxDays, :now)
     ON CONFLICT (tier) DO UPDATE SET name = excluded.name, price_won = excluded.price_won,
       spec = excluded.spec, xcode_versions = excluded.xcode_versions,
       default_xcode = excluded.default_xcode, runtimes = excluded.runtimes, tools = excluded.tools,
       image = excluded.image, sales_open = excluded.sales_open, max_days = excluded.max_days`,
    {
      ...tier,
      spec: JSON.stringify(tier.spec),
      xcodeVersions: JSON.stringify(tier.xcodeVersions),
      runtimes: JSON.stringify(tier.runtimes),
      tools: JSON.stringify(tier.tools),
      salesOpen: tier.salesOpen ? 1 : 0,
      now,
    },
  );
}

export async function findTier(db: Queries, tier: string): Promise<Tier | null> {
  const row = await db.get<Row>('SELECT * FROM tiers WHERE tier = :tier', { tier });
  return row ? fromRow(row) : null;
}

export async function listTiers(db: Queries): Promise<Tier[]> {
  return (await db.all<Row>('SELECT * FROM tiers ORDER BY price_won, tier')).map(fromRow);
}
