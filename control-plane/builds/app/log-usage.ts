// Counts logs towards an account's storage. Each running build gets a limit that fits, and its log is counted after the
// build has ended.
import { readLimitsOf } from '../../access/app/organizations.js';
import type { KeyedLock } from '../../platform/app/keyed-lock.js';
import type { Limits } from '../../platform/domain/limits.js';
import { readUsage } from '../../platform/store/account-usage.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { logBudget } from '../domain/log-budget.js';
import type { BuildLogs } from '../logs/build-logs.js';
import { countLog, readUncountedLogs, reservedForLogs } from '../store/log-usage.js';

/**
 * Returns the maximum size of the log of a build that starts in this transaction, bytes.
 *
 * @param room bytes that the disk has for logs; negative when its reserve is in use
 */
export async function logLimitFor(
  tx: Transaction,
  limits: Limits,
  { accountId, buildId }: { readonly accountId: number; readonly buildId: string },
  room: number,
): Promise<number> {
  const [usage, ofAccount, reserved] = await Promise.all([
    readUsage(tx, accountId),
    readLimitsOf(tx, accountId, limits),
    reservedForLogs(tx, accountId, buildId),
  ]);
  return logBudget(Math.min(ofAccount.logs_bytes - usage.logsBytes - reserved, room), limits);
}

export interface LogCountDeps {
  readonly store: Store;
  readonly logs: Pick<BuildLogs, 'bytes'>;
  readonly lock: KeyedLock;
}

const AT_ONCE = 100;

/** Counts the logs of builds that have ended, and returns how many. */
export async function countEndedLogs({ store, logs, lock }: LogCountDeps): Promise<number> {
  let counted = 0;
  for (;;) {
    const ended = await readUncountedLogs(store, AT_ONCE);
    const sizes: number[] = [];
    // The lock waits for output that was being stored when the build ended; later output is discarded.
    for (const { buildId } of ended) sizes.push(await lock.run(buildId, () => logs.bytes(buildId)));
    if (ended.length > 0) {
      await store.transaction(async (tx) => {
        for (const [i, build] of ended.entries()) await countLog(tx, build, sizes[i] ?? 0);
      });
    }
    counted += ended.length;
    if (ended.length < AT_ONCE) return counted;
  }
}
