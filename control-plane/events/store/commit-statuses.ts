// Commit statuses that code hosts have not received yet: one row per build that has any.
import type { CommitState } from '../../builds/domain/commit-state.js';
import { int, text } from '../../platform/domain/fields.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import { readNumber } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const commitStatuses = table('commit_statuses', {
  buildId: text(),
  accountId: int(),
  wanted: text<CommitState>(),
  /** Attempts to write this state so far. */
  tries: int().initially(0),
  dueAt: int().orNull,
  createdAt: int(),
});

const wantedStatuses = commitStatuses.pick('buildId', 'accountId', 'wanted', 'tries');
export type WantedStatus = Selected<typeof wantedStatuses>;

const put = commitStatuses.inserter({
  onConflict: `ON CONFLICT (build_id) DO UPDATE SET ${commitStatuses.excluded('wanted', 'tries', 'dueAt')}`,
});

/** Replaces the previous desired state. */
export async function putWantedStatus(
  tx: Transaction,
  { now, ...wanted }: { buildId: string; accountId: number; wanted: CommitState; now: number },
): Promise<void> {
  await put(tx, { ...wanted, dueAt: now, createdAt: now });
}

/** Claims up to `limit` due rows that are not in `skip`, until `until`. */
export async function claimWantedStatuses(
  tx: Transaction,
  claim: { now: number; until: number; limit: number; skip: ReadonlySet<string> },
): Promise<WantedStatus[]> {
  const found = await wantedStatuses.all(
    tx,
    'WHERE due_at IS NOT NULL AND due_at <= :now ORDER BY due_at LIMIT :limit',
    { now: claim.now, limit: claim.limit + claim.skip.size },
  );
  const claimed = found.filter(({ buildId }) => !claim.skip.has(buildId)).slice(0, claim.limit);
  for (const { buildId } of claimed) await commitStatuses.update(tx, { buildId }, { dueAt: claim.until });
  return claimed;
}

export const nextStatusDueAt = (q: Queries, now: number): Promise<number | null> =>
  readNumber(q, 'SELECT MIN(due_at) AS at FROM commit_statuses WHERE due_at IS NOT NULL AND due_at > :now', { now });

/** Records an attempt and the time of the next one (null: none). A state requested in between stays due. */
export async function settleWantedStatus(tx: Transaction, seen: WantedStatus, nextAt: number | null): Promise<void> {
  const same = { buildId: seen.buildId, wanted: seen.wanted };
  if (nextAt === null) {
    await tx.run('DELETE FROM commit_statuses WHERE build_id = :buildId AND wanted = :wanted', same);
  } else {
    await commitStatuses.change(tx, same, { dueAt: nextAt }, { tries: 1 });
  }
}

/** Returns which of these builds have a commit status to write. */
export async function buildsWithStatuses(q: Queries, buildIds: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const { list, params } of inChunks(buildIds)) {
    const rows = await commitStatuses.pick('buildId').all(q, `WHERE build_id IN (${list})`, params);
    found.push(...rows.map(({ buildId }) => buildId));
  }
  return found;
}
