// Deletes the logs of builds that ended long ago, and later the builds with their events, and the account's other events. Rows are deleted before
// files; files that a killed process leaves behind are deleted by the sweep of orphan logs.
import { allAccounts } from '../../access/app/organizations.js';
import type { Core } from '../../platform/app/core.js';
import { limitOf } from '../../platform/domain/account-limits.js';
import type { Account } from '../../platform/domain/caller.js';
import type { Limits } from '../../platform/domain/limits.js';
import { deleteEventsOf, purgeEvents } from '../../platform/store/outbox.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { BuildPlace } from '../store/build-list.js';
import { deleteBuilds, markLogsDeleted, readExpiredBuilds, readExpiredLogs } from '../store/build-retention.js';
import { uncountLogs } from '../store/log-usage.js';

export interface RetentionDeps extends Pick<Core, 'clock' | 'limits'> {
  /** Returns the builds that still have deliveries or commit statuses to send, or deliveries that can be sent again. */
  undelivered(tx: Transaction, buildIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Accounts per call, so that its transaction stays short. */
const ACCOUNTS_AT_ONCE = 50;
const START: BuildPlace = { createdAt: 0, seq: 0 };

/**
 * Sweeps all accounts in turn. The position is in memory only; after a restart the sweep begins at the first account.
 */
export interface AccountSweep {
  /** Deletes up to `limit` rows. Returns their builds, whose logs can be deleted after the commit. */
  remove(tx: Transaction, limit: number): Promise<{ buildIds: readonly string[]; more: boolean }>;
}

/** Deletes the logs of builds past their retention, and records the deletion in the build. */
export function createLogSweep(deps: RetentionDeps): AccountSweep {
  return sweepAccounts(async (tx, account, limit) => {
    const now = deps.clock.now();
    const endedBy = now - logsKeptMs(account, deps.limits);
    const buildIds = await readExpiredLogs(tx, { accountId: account.id, endedBy, limit });
    await uncountLogs(tx, buildIds);
    await markLogsDeleted(tx, buildIds, now);
    return { buildIds, more: buildIds.length === limit };
  });
}

/** Deletes builds past their retention, once their artifacts and deliveries are deleted, and events of other things as old. */
export function createBuildSweep(deps: RetentionDeps): AccountSweep {
  let after = START;
  return sweepAccounts(async (tx, account, limit) => {
    const now = deps.clock.now();
    const endedBy = now - buildsKeptMs(account, deps.limits);
    const page = await readExpiredBuilds(tx, { accountId: account.id, endedBy, after, limit });
    const ids = page.map(({ buildId }) => buildId);
    const undelivered = await deps.undelivered(tx, ids);
    const buildIds = ids.filter((id) => !undelivered.has(id));
    await uncountLogs(tx, buildIds);
    await deleteEventsOf(tx, buildIds);
    await deleteBuilds(tx, buildIds, now);
    const before = now - limitOf(account, 'builds_kept_ms', deps.limits);
    const others = await purgeEvents(tx, { accountId: account.id, before, limit });
    after = (page.length === limit && page.at(-1)) || START;
    return { buildIds, more: page.length === limit || others === limit };
  });
}

const logsKeptMs = (account: Account, limits: Limits) => limitOf(account, 'logs_kept_ms', limits);

/** Replies stored for an Idempotency-Key refer to the build, and the retention of an upload depends on its builds. */
const buildsKeptMs = (account: Account, limits: Limits) =>
  Math.max(limitOf(account, 'builds_kept_ms', limits), limits.idempotency_ms, limits.upload_used_ms);

function sweepAccounts(
  sweep: (tx: Transaction, account: Account, limit: number) => Promise<{ buildIds: readonly string[]; more: boolean }>,
): AccountSweep {
  let accounts: Account[] | null = null;
  return {
    async remove(tx, limit) {
      accounts ??= await allAccounts(tx);
      const buildIds: string[] = [];
      for (let i = 0; i < ACCOUNTS_AT_ONCE && buildIds.length < limit; i++) {
        const account = accounts[0];
        if (account === undefined) break;
        const swept = await sweep(tx, account, limit - buildIds.length);
        buildIds.push(...swept.buildIds);
        if (!swept.more) accounts.shift();
        else if (swept.buildIds.length === 0) break;
      }
      const more = accounts.length > 0;
      if (!more) accounts = null;
      return { buildIds, more };
    },
  };
}
