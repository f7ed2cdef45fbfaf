import type { AuditedAction } from '../domain/audit-entry.js';
import type { Transaction } from '../store/sql.js';

/** Writes audit entries of requests. */
export interface AuditSink {
  /** Writes an entry with the result `ok`, in the transaction of the change. */
  append(tx: Transaction, action: AuditedAction): Promise<void>;
  /** Writes the same in a separate transaction, for an action that changed nothing. */
  succeeded(action: AuditedAction): Promise<void>;
  /** Records a failure. Equal failures within a minute share one entry with a count. */
  failed(action: AuditedAction, code: string): void;
}
