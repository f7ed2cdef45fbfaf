// Every change of a slot's tenant or period increments the revision of the slot's host, so that the calendar in memory
// is updated.
import type { Transaction } from '../../platform/store/sql.js';

/** SQL: a revision above that of every host. */
export const NEXT_REVISION = '(SELECT COALESCE(MAX(calendar_revision), 0) + 1 FROM hosts)';

/**
 * Call it in every transaction that changes a host's service, its slots, or a rental or hold in one of them.
 * Write transactions are serialized, so a higher revision is also a later commit.
 */
export async function touchHost(tx: Transaction, hostId: string): Promise<void> {
  await tx.run(`UPDATE hosts SET calendar_revision = ${NEXT_REVISION} WHERE host_id = :hostId`, { hostId });
}

/** The same for the host of a slot. */
export async function touchSlot(tx: Transaction, slotId: string): Promise<void> {
  await tx.run(
    `UPDATE hosts SET calendar_revision = ${NEXT_REVISION}
     WHERE host_id = (SELECT host_id FROM slots WHERE slot_id = :slotId)`,
    { slotId },
  );
}

/** The same for all hosts of a tier. */
export async function touchHostsOfTier(tx: Transaction, tier: string): Promise<void> {
  await tx.run(`UPDATE hosts SET calendar_revision = ${NEXT_REVISION} WHERE tier = :tier`, { tier });
}
