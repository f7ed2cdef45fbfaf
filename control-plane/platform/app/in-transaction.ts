import type { Transaction } from '../store/sql.js';

/** Callback that a use case runs with its result in the transaction of its effect, so that both commit or neither. */
export type InTransaction<T = void> = (tx: Transaction, result: T) => Promise<void>;
