// Builds: rows in, domain types out.
import type { StopReason } from '../../../shared/build.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import { readStrings } from '../../platform/store/json-column.js';
import type { Queries, SqlParams, SqlValue, Transaction } from '../../platform/store/sql.js';
import type { Build, BuildFailure, BuildStatus, EndReason, ToldBuild } from '../domain/build.js';
import type { CommitState } from '../domain/commit-state.js';
import { laneOf } from '../domain/queue.js';

export interface BuildRow {
  build_id: string;
  seq: number;
  account_id: number;
  workspace_id: string;
  key_id: string | null;
  status: BuildStatus;
  upload_id: string | null;
  repo: string | null;
  repo_url: string | null;
  ref: string | null;
  commit_sha: string | null;
  checked_out_sha: string | null;
  pr: number | null;
  xcode: string | null;
  pinned_rental_id: string | null;
  rental_id: string | null;
  host_id: string | null;
  timeout_min: number;
  priority: number;
  clean_tree: number;
  queue_until_rental: number;
  notify_url: string | null;
  attempt: number;
  requeued: number;
  start_retried: number;
  requeued_at: number | null;
  stop_reason: StopReason | null;
  stop_requested_at: number | null;
  reported: number;
  created_at: number;
  started_at: number | null;
  attempt_started_at: number | null;
  deadline_at: number | null;
  last_output_at: number | null;
  ended_at: number | null;
  exit_code: number | null;
  end_reason: EndReason | null;
  failure: string | null;
  warnings: string;
  log_base: number;
  event_sequence: number;
  commit_state: CommitState | null;
  commit_state_error: string | null;
  script: string;
}

export function toBuild(row: BuildRow): Build {
  return {
    buildId: row.build_id,
    seq: row.seq,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    keyId: row.key_id,
    status: row.status,
    script: row.script,
    uploadId: row.upload_id,
    repo: row.repo,
    repoUrl: row.repo_url,
    ref: row.ref,
    commit: row.commit_sha,
    commitSha: row.checked_out_sha,
    pr: row.pr,
    xcode: row.xcode,
    pinnedRentalId: row.pinned_rental_id,
    rentalId: row.rental_id,
    hostId: row.host_id,
    timeoutMin: row.timeout_min,
    priority: row.priority,
    cleanTree: row.clean_tree === 1,
    queueUntilRental: row.queue_until_rental === 1,
    notifyUrl: row.notify_url,
    attempt: row.attempt,
    requeued: row.requeued === 1,
    startRetried: row.start_retried === 1,
    requeuedAt: row.requeued_at,
    stopReason: row.stop_reason,
    stopRequestedAt: row.stop_requested_at,
    reported: row.reported === 1,
    createdAt: row.created_at,
    startedAt: row.started_at,
    attemptStartedAt: row.attempt_started_at,
    deadlineAt: row.deadline_at,
    lastOutputAt: row.last_output_at,
    endedAt: row.ended_at,
    exitCode: row.exit_code,
    endReason: row.end_reason,
    // Written by this file alone.
    failure: row.failure === null ? null : (JSON.parse(row.failure) as BuildFailure),
    warnings: row.warnings === '[]' ? [] : readStrings(row.warnings),
    logBase: row.log_base,
    commitStatus:
      row.commit_state === null && row.commit_state_error === null
        ? null
        : { state: row.commit_state, error: row.commit_state_error },
  };
}

export interface NewBuild {
  readonly buildId: string;
  readonly accountId: number;
  readonly workspaceId: string;
  readonly keyId: string | null;
  readonly script: string;
  readonly uploadId: string | null;
  readonly repo: string | null;
  readonly repoUrl: string | null;
  readonly ref: string | null;
  readonly commit: string | null;
  readonly pr: number | null;
  readonly xcode: string | null;
  readonly pinnedRentalId: string | null;
  readonly timeoutMin: number;
  readonly priority: number;
  readonly cleanTree: boolean;
  readonly queueUntilRental: boolean;
  readonly notifyUrl: string | null;
  /** Sealed. */
  readonly notifySecret: Buffer | null;
  /** The same for builds of one project with the same script. */
  readonly historyKey: string;
  readonly now: number;
}

/** Adds a queued build, whose first event has the number 1. */
export async function insertBuild(tx: Transaction, build: NewBuild): Promise<Build> {
  const row = await tx.get<{ seq: number }>(
    `INSERT INTO builds (build_id, account_id, workspace_id, key_id, status, lane, upload_id, repo, repo_url,
       ref, commit_sha, pr, xcode, pinned_rental_id, timeout_min, priority, clean_tree, queue_until_rental,
       notify_url, notify_secret, attempt, created_at, event_sequence, script, history_key)
     VALUES (:buildId, :accountId, :workspaceId, :keyId, 'queued',
       :lane, :uploadId, :repo, :repoUrl, :ref, :commit, :pr, :xcode, :pinnedRentalId, :timeoutMin, :priority,
       :cleanTree, :queueUntilRental, :notifyUrl, :notifySecret, 1, :now, 1, :script,
       :historyKey)
     RETURNING seq`,
    {
      buildId: build.buildId,
      accountId: build.accountId,
      workspaceId: build.workspaceId,
      keyId: build.keyId,
      lane: laneOf(build),
      uploadId: build.uploadId,
      repo: build.repo,
      repoUrl: build.repoUrl,
      ref: build.ref,
      commit: build.commit,
      pr: build.pr,
      xcode: build.xcode,
      pinnedRentalId: build.pinnedRentalId,
      timeoutMin: build.timeoutMin,
      priority: build.priority,
      cleanTree: build.cleanTree ? 1 : 0,
      queueUntilRental: build.queueUntilRental ? 1 : 0,
      notifyUrl: build.notifyUrl,
      notifySecret: build.notifySecret,
      now: build.now,
      script: build.script,
      historyKey: build.historyKey,
    },
  );
  if (!row) throw new Error('an inserted build was not returned');
  return freshBuild(build, row.seq);
}

/**
 * What every build is at first. Written out: made of spreads, each build would get a hidden class of its own, and
 * whatever reads it would be slow.
 */
function freshBuild(build: NewBuild, seq: number): Build {
  return {
    buildId: build.buildId,
    seq,
    accountId: build.accountId,
    workspaceId: build.workspaceId,
    keyId: build.keyId,
    status: 'queued',
    script: build.script,
    uploadId: build.uploadId,
    repo: build.repo,
    repoUrl: build.repoUrl,
    ref: build.ref,
    commit: build.commit,
    commitSha: null,
    pr: build.pr,
    xcode: build.xcode,
    pinnedRentalId: build.pinnedRentalId,
    rentalId: null,
    hostId: null,
    timeoutMin: build.timeoutMin,
    priority: build.priority,
    cleanTree: build.cleanTree,
    queueUntilRental: build.queueUntilRental,
    notifyUrl: build.notifyUrl,
    attempt: 1,
    requeued: false,
    startRetried: false,
    requeuedAt: null,
    stopReason: null,
    stopRequestedAt: null,
    reported: false,
    createdAt: build.now,
    startedAt: null,
    attemptStartedAt: null,
    deadlineAt: null,
    lastOutputAt: null,
    endedAt: null,
    exitCode: null,
    endReason: null,
    failure: null,
    warnings: [],
    logBase: 0,
    commitStatus: null,
  };
}

/** Null too when it is another account's. */
export async function findBuild(q: Queries, accountId: number, buildId: string): Promise<Build | null> {
  const build = await findAnyBuild(q, buildId);
  return build?.accountId === accountId ? build : null;
}

/** Whoever's it is: for hosts and workers. */
export async function findAnyBuild(q: Queries, buildId: string): Promise<Build | null> {
  const row = await q.get<BuildRow>('SELECT * FROM builds WHERE build_id = :buildId', { buildId });
  return row ? toBuild(row) : null;
}

interface ToldRow {
  build_id: string;
  account_id: number;
  repo: string | null;
  repo_url: string | null;
  commit_sha: string | null;
  checked_out_sha: string | null;
  notify_url: string | null;
  failure: string | null;
}

/** Those of the builds that there are, without what is long. */
export async function readToldBuilds(q: Queries, buildIds: readonly string[]): Promise<ToldBuild[]> {
  const builds: ToldBuild[] = [];
  for (const { list, params } of inChunks(buildIds)) {
    const rows = await q.all<ToldRow>(
      `SELECT build_id, account_id, repo, repo_url, commit_sha, checked_out_sha, notify_url, failure
       FROM builds WHERE build_id IN (${list})`,
      params,
    );
    for (const row of rows) {
      builds.push({
        buildId: row.build_id,
        accountId: row.account_id,
        repo: row.repo,
        repoUrl: row.repo_url,
        commit: row.commit_sha,
        commitSha: row.checked_out_sha,
        notifyUrl: row.notify_url,
        failure: row.failure === null ? null : (JSON.parse(row.failure) as BuildFailure),
      });
    }
  }
  return builds;
}

/** Null when the account has no such build. */
export async function findBuildStatus(
  q: Queries,
  accountId: number,
  buildId: string,
): Promise<BuildStatus | null> {
  const row = await q.get<{ status: BuildStatus }>(
    'SELECT status FROM builds WHERE build_id = :buildId AND account_id = :accountId',
    { buildId, accountId },
  );
  return row?.status ?? null;
}

export interface BuildFilter {
  readonly statuses: readonly BuildStatus[] | null;
  /** owner/name, or a repo_url. */
  readonly repo: string | null;
  readonly pr: number | null;
  /** On or pinned to that Mac. */
  readonly rentalId: string | null;
  /** Created at or after, ms. */
  readonly from: number | null;
  /** Created before, ms. */
  readonly to: number | null;
  readonly text: string | null;
  /** Only builds with a smaller seq. */
  readonly beforeSeq: number | null;
  readonly limit: number;
}

/** Newest first. */
export async function listBuilds(q: Queries, accountId: number, filter: BuildFilter): Promise<Build[]> {
  const where = ['account_id = :accountId'];
  const params: Record<string, SqlValue> = { accountId, limit: filter.limit };
  const add = (condition: string, values: SqlParams) => {
    where.push(condition);
    Object.assign(params, values);
  };
  if (filter.statuses !== null) {
    const names = filter.statuses.map((status, i) => {
      params[`status${i}`] = status;
      return `:status${i}`;
    });
    where.push(names.length > 0 ? `status IN (${names.join(', ')})` : '1 = 0');
  }
  if (filter.repo !== null) add('(repo = :repo OR repo_url = :repo)', { repo: filter.repo });
  if (filter.pr !== null) add('pr = :pr', { pr: filter.pr });
  if (filter.rentalId !== null) {
    add('(rental_id = :rentalId OR pinned_rental_id = :rentalId)', { rentalId: filter.rentalId });
  }
  if (filter.from !== null) add('created_at >= :from', { from: filter.from });
  if (filter.to !== null) add('created_at < :to', { to: filter.to });
  if (filter.beforeSeq !== null) add('seq < :beforeSeq', { beforeSeq: filter.beforeSeq });
  if (filter.text !== null) {
    const columns = ['repo', 'repo_url', 'ref', 'script', 'build_id'];
    add(`(${columns.map((c) => `LOWER(${c}) LIKE LOWER(:text) ESCAPE '\\'`).join(' OR ')})`, {
      text: `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`,
    });
  }
  const rows = await q.all<BuildRow>(
    `SELECT * FROM builds WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT :limit`,
    params,
  );
  return rows.map(toBuild);
}

/** Place in creation order, for paging; null when the account has no such build. */
export async function seqOfBuild(q: Queries, accountId: number, buildId: string): Promise<number | null> {
  const row = await q.get<{ seq: number }>(
    'SELECT seq FROM builds WHERE build_id = :buildId AND account_id = :accountId',
    { buildId, accountId },
  );
  return row?.seq ?? null;
}
