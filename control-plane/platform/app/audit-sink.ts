import type { AuditedAction } from '../domain/audit-entry.js';
import type { Transaction } from '../store/sql.js';

/** The audit log, as requests write to it. */
export interface AuditSink {
  /** Writes an entry with the result `ok`, in the transaction of the change. */
  append(tx: Transaction, action: AuditedAction): Promise<void>;
  /** Writes the same in a transaction of its own, for an action that changed nothing. */
  succeeded(action: AuditedAction): Promise<void>;
  /** Adds a failure. Equal ones within a minute are counted in one entry. */
  failed(action: AuditedAction, code: string): void;
}
