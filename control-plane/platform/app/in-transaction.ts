import type { Transaction } from '../store/sql.js';

/** What a use case calls with its result in the transaction of its effect, so that both are kept or neither. */
export type InTransaction<T = void> = (tx: Transaction, result: T) => Promise<void>;
