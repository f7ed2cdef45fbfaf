// For how long unpaid orders hold their Macs; see platform/app/clock-steps.ts.
import type { Transaction } from '../../platform/store/sql.js';

/** Moves since when and until when unpaid orders hold their Macs by `ms`; starts that were asked for stay. */
export async function shiftUnpaidOrders(tx: Transaction, ms: number): Promise<void> {
  await tx.run(
    `UPDATE orders SET created_at = created_at + :ms, pay_expires_at = pay_expires_at + :ms
     WHERE status = 'awaiting_payment'`,
    { ms },
  );
}

/** Moves the holds of unpaid orders that begin once they are paid by `ms`; returns the slots. */
export async function shiftHoldsFromNow(tx: Transaction, ms: number): Promise<string[]> {
  const held = await tx.all<{ hold_id: number; slot_id: string }>(
    `SELECT h.hold_id, h.slot_id FROM orders o JOIN holds h ON h.order_no = o.order_no
     WHERE o.status = 'awaiting_payment' AND o.kind = 'rental' AND o.start_at IS NULL`,
  );
  for (const { hold_id: holdId } of held) {
    await tx.run('UPDATE holds SET starts_at = starts_at + :ms, ends_at = ends_at + :ms WHERE hold_id = :holdId', {
      ms,
      holdId,
    });
  }
  return held.map(({ slot_id: slotId }) => slotId);
}
