// Slots of hosts: each holds one Mac at a time.
import { int, text } from '../../platform/domain/fields.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { touchHost } from './calendar-revision.js';

export const slots = table(
  'slots',
  {
    slotId: text(),
    hostId: text(),
    tier: text(),
    /** Starts at 1. */
    position: int(),
  },
  { createdAt: int(), retiredAt: int().orNull.initially(null) },
);
export type Slot = Selected<typeof slots>;

export function listSlots(q: Queries, hostId: string): Promise<Slot[]> {
  return slots.all(q, 'WHERE host_id = :hostId AND retired_at IS NULL ORDER BY position', { hostId });
}

const put = slots.inserter({
  onConflict: `ON CONFLICT (host_id, position) DO UPDATE SET ${slots.excluded('retiredAt', 'tier')}`,
});

export async function insertSlot(tx: Transaction, { now, ...slot }: Slot & { now: number }): Promise<void> {
  await touchHost(tx, slot.hostId);
  await put(tx, { ...slot, createdAt: now });
}

// SQL: whether a slot is rented, reserved or ordered.
const TAKEN = `(EXISTS (SELECT 1 FROM macs m WHERE m.slot_id = s.slot_id AND m.state <> 'ended')
  OR EXISTS (SELECT 1 FROM holds o WHERE o.slot_id = s.slot_id))`;

/** Returns the slots of the host that are rented, reserved or ordered. */
export const countTakenSlots = (q: Queries, hostId: string): Promise<number> =>
  readCount(q, `SELECT COUNT(*) AS n FROM slots s WHERE s.host_id = :hostId AND ${TAKEN}`, {
    hostId,
  });

/** Returns the slots of each host: all, and those that are rented, reserved or ordered. Removed hosts are left out. */
export async function countSlots(q: Queries): Promise<Map<string, { total: number; used: number }>> {
  const rows = await q.all<{ host_id: string; total: number; used: number }>(
    `SELECT s.host_id, COUNT(*) AS total, SUM(CASE WHEN ${TAKEN} THEN 1 ELSE 0 END) AS used
     FROM slots s JOIN hosts h ON h.host_id = s.host_id AND h.status <> 'removed'
     WHERE s.retired_at IS NULL GROUP BY s.host_id`,
  );
  return new Map(rows.map(({ host_id, total, used }) => [host_id, { total, used }]));
}

/** Removes every slot after the first `count`; returns false when one of them is rented or reserved. */
export async function retireSlots(tx: Transaction, hostId: string, count: number, now: number): Promise<boolean> {
  const behind = 's.host_id = :hostId AND s.position > :count AND s.retired_at IS NULL';
  const taken = await tx.get(`SELECT 1 FROM slots s WHERE ${behind} AND ${TAKEN}`, { hostId, count });
  if (taken) return false;
  await tx.run(
    `UPDATE slots SET retired_at = :now WHERE host_id = :hostId AND position > :count AND retired_at IS NULL`,
    { hostId, count, now },
  );
  await touchHost(tx, hostId);
  return true;
}

/** Removes the free slots after the first `count`. Those that are rented, reserved or ordered stay. */
export async function retireFreeSlots(tx: Transaction, hostId: string, count: number, now: number): Promise<void> {
  const { changes } = await tx.run(
    `UPDATE slots AS s SET retired_at = :now
     WHERE s.host_id = :hostId AND s.position > :count AND s.retired_at IS NULL AND NOT ${TAKEN}`,
    { hostId, count, now },
  );
  if (changes > 0) await touchHost(tx, hostId);
}

/** Returns null when the slot does not exist. */
export async function hostOfSlot(q: Queries, slotId: string): Promise<string | null> {
  const row = await q.get<{ host_id: string }>('SELECT host_id FROM slots WHERE slot_id = :slotId', {
    slotId,
  });
  return row?.host_id ?? null;
}
