// Builds as their hosts see them: what runs where, and what was said of it.
import { type BuildResult, buildResult, type StopReason } from '../../../shared/build.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Build } from '../domain/build.js';
import { type BuildRow, toBuild } from './builds.js';

/** Running builds of one host. */
export async function readBuildsOfHost(q: Queries, hostId: string): Promise<Build[]> {
  const rows = await q.all<BuildRow>(
    `SELECT * FROM builds WHERE host_id = :hostId AND status = 'running' ORDER BY seq`,
    { hostId },
  );
  return rows.map(toBuild);
}

export interface AttemptOnHost {
  readonly accountId: number;
  readonly uploadId: string | null;
  readonly logBase: number;
}

/** Null unless this attempt is running on this host. Read for every piece of output, hence slim. */
export async function findAttempt(
  q: Queries,
  hostId: string,
  buildId: string,
  attempt: number,
): Promise<AttemptOnHost | null> {
  const row = await q.get<{ account_id: number; upload_id: string | null; log_base: number }>(
    `SELECT account_id, upload_id, log_base FROM builds
     WHERE build_id = :buildId AND status = 'running' AND host_id = :hostId AND attempt = :attempt`,
    { buildId, hostId, attempt },
  );
  return row ? { accountId: row.account_id, uploadId: row.upload_id, logBase: row.log_base } : null;
}

/**
 * Records that the host has the attempt, and that it printed something if the host's own time of its last output
 * has changed: that time follows another clock, so it serves as a mark only. It counts when no output has arrived for
 * `outputReportMs` (what is left out of a long log never does); otherwise it only repeats, later, what the output
 * said. False when nothing was new.
 */
export async function recordFact(
  tx: Transaction,
  fact: {
    hostId: string;
    buildId: string;
    attempt: number;
    hostOutputAt: number | null;
    now: number;
    outputReportMs: number;
  },
): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE builds SET reported = 1, host_output_at = :hostOutputAt,
       last_output_at = CASE WHEN :hostOutputAt IS NULL OR host_output_at = :hostOutputAt
           OR last_output_at > :now - :outputReportMs
         THEN last_output_at ELSE :now END
     WHERE build_id = :buildId AND status = 'running' AND host_id = :hostId AND attempt = :attempt
       AND (reported = 0 OR COALESCE(host_output_at, -1) <> COALESCE(:hostOutputAt, -1))`,
    fact,
  );
  return changes === 1;
}

/** Records that output of a running attempt has arrived. */
export async function recordOutput(
  tx: Transaction,
  output: { hostId: string; buildId: string; attempt: number; now: number },
): Promise<void> {
  await tx.run(
    `UPDATE builds SET last_output_at = :now
     WHERE build_id = :buildId AND status = 'running' AND host_id = :hostId AND attempt = :attempt`,
    output,
  );
}

/**
 * Records which commit a running attempt was made of. Returns the build, or null when that is known already or the
 * attempt does not run on this host any more.
 */
export async function recordCommit(
  tx: Transaction,
  fact: { hostId: string; buildId: string; attempt: number; commitSha: string },
): Promise<Build | null> {
  const row = await tx.get<BuildRow>(
    `UPDATE builds SET checked_out_sha = :commitSha
     WHERE build_id = :buildId AND status = 'running' AND host_id = :hostId AND attempt = :attempt
       AND (checked_out_sha IS NULL OR checked_out_sha <> :commitSha)
     RETURNING *`,
    fact,
  );
  return row ? toBuild(row) : null;
}

/** Asks for a running attempt to be stopped, and tells its owner why when `warning` says so; null when it is not running or was asked before. */
export async function requestStop(
  tx: Transaction,
  build: Pick<Build, 'buildId' | 'attempt' | 'warnings'>,
  reason: StopReason,
  now: number,
  warning: string | null = null,
): Promise<Build | null> {
  const warnings = warning === null ? build.warnings : [...build.warnings, warning];
  const row = await tx.get<BuildRow>(
    `UPDATE builds SET stop_reason = :reason, stop_requested_at = :now, warnings = :warnings
     WHERE build_id = :buildId AND attempt = :attempt AND status = 'running' AND stop_requested_at IS NULL
     RETURNING *`,
    { buildId: build.buildId, attempt: build.attempt, reason, now, warnings: JSON.stringify(warnings) },
  );
  return row ? toBuild(row) : null;
}

/** Keeps a result whose log is not whole yet. */
export async function keepResult(
  tx: Transaction,
  build: Pick<Build, 'buildId' | 'attempt'>,
  result: BuildResult,
): Promise<void> {
  await tx.run(
    `UPDATE builds SET finish_result = :result, reported = 1
     WHERE build_id = :buildId AND attempt = :attempt AND status = 'running'`,
    { buildId: build.buildId, attempt: build.attempt, result: JSON.stringify(result) },
  );
}

/** The result that was kept, or null. */
export async function findKeptResult(q: Queries, buildId: string): Promise<BuildResult | null> {
  const row = await q.get<{ finish_result: string | null }>(
    'SELECT finish_result FROM builds WHERE build_id = :buildId',
    { buildId },
  );
  return row?.finish_result ? buildResult.parse(JSON.parse(row.finish_result)) : null;
}
