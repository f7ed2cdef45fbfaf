// What code hosts are still to be told: one row per build, while something is.
import type { CommitState } from '../../builds/domain/commit-state.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';

export interface WantedStatus {
  readonly buildId: string;
  readonly accountId: number;
  readonly wanted: CommitState;
  /** Attempts at this state so far. */
  readonly tries: number;
}

interface Row {
  build_id: string;
  account_id: number;
  wanted: CommitState;
  tries: number;
}

/** Replaces what was wanted before. */
export async function putWantedStatus(
  tx: Transaction,
  wanted: { buildId: string; accountId: number; wanted: CommitState; now: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO commit_statuses (build_id, account_id, wanted, due_at, created_at)
     VALUES (:buildId, :accountId, :wanted, :now, :now)
     ON CONFLICT (build_id) DO UPDATE SET wanted = excluded.wanted, tries = 0, due_at = excluded.due_at`,
    wanted,
  );
}

/** Claims up to `limit` that are due and not in `skip`, until `until`. */
export async function claimWantedStatuses(
  tx: Transaction,
  claim: { now: number; until: number; limit: number; skip: ReadonlySet<string> },
): Promise<WantedStatus[]> {
  const rows = await tx.all<Row>(
    `SELECT build_id, account_id, wanted, tries FROM commit_statuses
     WHERE due_at IS NOT NULL AND due_at <= :now ORDER BY due_at LIMIT :limit`,
    { now: claim.now, limit: claim.limit + claim.skip.size },
  );
  const claimed = rows.filter((row) => !claim.skip.has(row.build_id)).slice(0, claim.limit);
  for (const { build_id: buildId } of claimed) {
    await tx.run('UPDATE commit_statuses SET due_at = :until WHERE build_id = :buildId', {
      buildId,
      until: claim.until,
    });
  }
  return claimed.map((row) => ({
    buildId: row.build_id,
    accountId: row.account_id,
    wanted: row.wanted,
    tries: row.tries,
  }));
}

export async function nextStatusDueAt(q: Queries, now: number): Promise<number | null> {
  const row = await q.get<{ at: number | null }>(
    'SELECT MIN(due_at) AS at FROM commit_statuses WHERE due_at IS NOT NULL AND due_at > :now',
    { now },
  );
  return row?.at ?? null;
}

/** Notes an attempt: when the next one is, or (null) that there is none. What has been wanted meanwhile stays due. */
export async function settleWantedStatus(
  tx: Transaction,
  seen: WantedStatus,
  nextAt: number | null,
): Promise<void> {
  const same = { buildId: seen.buildId, wanted: seen.wanted };
  if (nextAt === null) {
    await tx.run('DELETE FROM commit_statuses WHERE build_id = :buildId AND wanted = :wanted', same);
  } else {
    await tx.run(
      `UPDATE commit_statuses SET due_at = :nextAt, tries = tries + 1
       WHERE build_id = :buildId AND wanted = :wanted`,
      { ...same, nextAt },
    );
  }
}
