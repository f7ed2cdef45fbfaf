// What operators have to settle with the provider, and have settled.
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type ManualSettlement, settlementFields } from '../domain/manual-settlement.js';

export const settlements = table('manual_settlements', settlementFields);

/** A payment of which still more was returned is open again, with the new amount. */
export const openSettlement = settlements.inserter({
  onConflict: `ON CONFLICT (id) DO UPDATE
    SET ${settlements.excluded('amountWon', 'createdAt', 'settledAt', 'settledBy', 'note')}`,
});

/** Returns the settled record; null: there is none with this id, or it is settled already. */
export function closeSettlement(
  tx: Transaction,
  id: string,
  how: Pick<ManualSettlement, 'settledAt' | 'settledBy' | 'note'>,
): Promise<ManualSettlement | null> {
  return settlements.change(tx, { id, settledAt: null }, how);
}

/** Closes refused refunds of a payment that went back as a whole after all. */
export async function closeRefused(tx: Transaction, orderNo: string, settledAt: number): Promise<void> {
  await settlements.update(tx, { orderNo, kind: 'refused', settledAt: null }, { settledAt });
}

/** Newest first. */
export function listSettlements(q: Queries, limit: number): Promise<ManualSettlement[]> {
  return settlements.all(q, 'ORDER BY created_at DESC, id DESC LIMIT :limit', { limit });
}

/** Those of one order or top-up and its refunds, oldest first. */
export function listSettlementsOf(q: Queries, orderNo: string, limit: number): Promise<ManualSettlement[]> {
  return settlements.all(q, 'WHERE order_no = :orderNo ORDER BY created_at, id LIMIT :limit', {
    orderNo,
    limit,
  });
}

/** Oldest first. */
export function listOpenSettlements(q: Queries, limit: number): Promise<ManualSettlement[]> {
  return settlements.all(q, 'WHERE settled_at IS NULL ORDER BY created_at, id LIMIT :limit', { limit });
}
