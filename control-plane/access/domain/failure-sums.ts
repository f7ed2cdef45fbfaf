// Counts equal failures, so that a flood of them cannot fill the audit log: the first of a minute is written at once,
// the others are counted and written as one entry at the end of the minute.
import { type AuditedAction, anonymous } from '../../platform/domain/audit-entry.js';
import { clientBlock } from '../../platform/domain/cidr.js';

export interface Failure {
  readonly action: AuditedAction;
  readonly result: string;
  readonly count: number;
}

/** @param most number of different failures of one organization that are counted separately within a minute */
export function createFailureSums(most: number) {
  let seen = new Map<string, Failure>();
  let different = new Map<number | null, number>();

  const keyOf = ({ accountId, actorKind, actorId, ip, action, target }: AuditedAction, result: string) =>
    JSON.stringify([accountId, actorKind, actorId, ip && clientBlock(ip), action, target, result]);

  return {
    /** Returns the failure if it should be written now, or null if it was only counted. */
    add(given: AuditedAction, result: string): Failure | null {
      const number = different.get(given.accountId) ?? 0;
      const full = number >= most && !seen.has(keyOf(given, result));
      // Beyond the limit only the action and result are kept, not the actor or target.
      const action = full ? { ...given, ...anonymous, ip: null, target: null } : given;
      const key = keyOf(action, result);
      const before = seen.get(key);
      if (!before) different.set(given.accountId, number + 1);
      seen.set(key, { action, result, count: before ? before.count + 1 : 0 });
      return before ? null : { action, result, count: 1 };
    },
    /** Returns the failures counted since the last call, and starts a new minute. */
    take(): Failure[] {
      const counted = [...seen.values()].filter(({ count }) => count > 0);
      seen = new Map();
      different = new Map();
      return counted;
    },
  };
}
