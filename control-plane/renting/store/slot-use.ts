// Counts of slots in use and reserved, by tier or account.
import type { TierAvailability } from '../../macs/domain/tier.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries } from '../../platform/store/sql.js';

/** Returns slots of each tier on hosts in service or draining: all, reserved for a later time, and with a Mac. */
export async function readSlotUse(
  db: Queries,
): Promise<Map<string, Pick<TierAvailability, 'total' | 'reserved' | 'inUse'>>> {
  const rows = await db.all<{ tier: string; total: number; reserved: number; in_use: number }>(
    `SELECT s.tier, COUNT(*) AS total,
       SUM(CASE WHEN EXISTS (SELECT 1 FROM macs m WHERE m.slot_id = s.slot_id AND m.state <> 'ended'
           AND m.state <> 'reserved') THEN 1 ELSE 0 END) AS in_use,
       SUM(CASE WHEN EXISTS (SELECT 1 FROM holds o WHERE o.slot_id = s.slot_id AND o.rental_id IS NULL)
           OR EXISTS (SELECT 1 FROM macs m WHERE m.slot_id = s.slot_id AND m.state <> 'ended'
             AND m.state = 'reserved') THEN 1 ELSE 0 END) AS reserved
     FROM slots s JOIN hosts h ON h.host_id = s.host_id AND h.status NOT IN ('pending', 'removed')
     WHERE s.retired_at IS NULL GROUP BY s.tier`,
  );
  return new Map(rows.map(({ tier, total, reserved, in_use }) => [tier, { total, reserved, inUse: in_use }]));
}

/** Returns the number of slots that have a Mac of the account or are held by its unpaid orders. */
export const countHeldSlots = (db: Queries, accountId: number): Promise<number> =>
  readCount(
    db,
    `SELECT COUNT(*) AS slots FROM (
       SELECT slot_id FROM macs WHERE account_id = :accountId AND state <> 'ended'
       UNION SELECT slot_id FROM holds WHERE account_id = :accountId) AS used`,
    { accountId },
  );
