// Part of a transaction that may fail alone.
import type { Transaction } from './sql.js';

/**
 * Runs `work`, which awaits only queries of `tx`. If it throws, what it wrote is taken back and the transaction can go on, also
 * on PostgreSQL, where a statement that fails otherwise ends its transaction. Does not nest.
 *
 * @example await inSavepoint(tx, () => remove(tx, id)).catch(() => markRemoved(tx, id));
 */
export async function inSavepoint<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
  await tx.run('SAVEPOINT part');
  try {
    return await work();
  } catch (error) {
    await tx.run('ROLLBACK TO SAVEPOINT part');
    throw error;
  } finally {
    await tx.run('RELEASE SAVEPOINT part');
  }
}
