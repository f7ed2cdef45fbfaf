import { readStrings } from '../../platform/store/json-column.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Tier, TierSpec, TierStock } from '../domain/tier.js';

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

/** Slots of each tier on hosts that are in service or go on serving: all, kept for a later time, and with a Mac. */
export async function readSlotUse(
  db: Queries,
): Promise<Map<string, Pick<TierStock, 'total' | 'reserved' | 'inUse'>>> {
  const rows = await db.all<{ tier: string; total: number; reserved: number; in_use: number }>(
    `SELECT s.tier, COUNT(*) AS total,
       SUM(CASE WHEN EXISTS (SELECT 1 FROM rentals r WHERE r.slot_id = s.slot_id AND r.ended_at IS NULL
           AND r.state <> 'reserved') THEN 1 ELSE 0 END) AS in_use,
       SUM(CASE WHEN EXISTS (SELECT 1 FROM holds o WHERE o.slot_id = s.slot_id AND o.rental_id IS NULL)
           OR EXISTS (SELECT 1 FROM rentals r WHERE r.slot_id = s.slot_id AND r.ended_at IS NULL
             AND r.state = 'reserved') THEN 1 ELSE 0 END) AS reserved
     FROM slots s JOIN hosts h ON h.host_id = s.host_id AND h.status NOT IN ('pending', 'removed')
     WHERE s.retired_at IS NULL GROUP BY s.tier`,
  );
  return new Map(rows.map(({ tier, total, reserved, in_use }) => [tier, { total, reserved, inUse: in_use }]));
}

/** Builds of the account that run and that wait. */
export async function countActiveBuilds(
  db: Queries,
  accountId: number,
): Promise<{ running: number; queued: number }> {
  const row = await db.get<{ running: number; queued: number }>(
    `SELECT (SELECT COUNT(*) FROM builds WHERE status = 'running' AND account_id = :accountId) AS running,
       (SELECT COUNT(*) FROM builds WHERE status = 'queued' AND account_id = :accountId) AS queued`,
    { accountId },
  );
  return row ?? { running: 0, queued: 0 };
}
