// Reads the audit log for tests.
import type { AuditEntry } from '../../control-plane/platform/domain/audit-entry.js';
import type { Harness } from '../harness/harness.js';

/** Returns all entries, oldest first, including those still in memory. */
export const entriesOf = (h: Harness) =>
  h.auditLog.read({ accountId: null, since: 0 }, { after: null, limit: 100_000 });

export const brief = ({ actorKind, action, target, result, count }: AuditEntry) => ({
  actorKind,
  action,
  target,
  result,
  count,
});
