// Builds on their hosts: what runs where, and what the hosts reported.

import type { BuildResult, CommitAbout, StepTime, StopReason } from '../../../shared/build.js';
import type { Message } from '../../../shared/messages/message.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Build } from '../domain/build.js';
import { builds } from './builds.js';

/** Running builds of one host. */
export function readBuildsOfHost(q: Queries, hostId: string): Promise<Build[]> {
  return builds.all(q, `WHERE host_id = :hostId AND status = 'running' ORDER BY seq`, { hostId });
}

const attemptOnHost = builds.pick('accountId', 'uploadId', 'logBase', 'logLimit');
export type AttemptOnHost = Pick<Build, 'accountId' | 'uploadId' | 'logBase' | 'logLimit'>;

/** Null unless this attempt is running on this host. Read for every piece of output, so it selects few columns. */
export function findAttempt(
  q: Queries,
  hostId: string,
  buildId: string,
  attempt: number,
): Promise<AttemptOnHost | null> {
  return attemptOnHost.get(
    q,
    `WHERE build_id = :buildId AND status = 'running' AND host_id = :hostId AND attempt = :attempt`,
    { buildId, hostId, attempt },
  );
}

/**
 * Records that the host has the attempt, and when it printed last: as long ago as the host says (`silentMs`), however long
 * the fact was on its way to it. A host of link version 2 says the time by its own clock, which is only compared for
 * equality: a change counts as output now if none has arrived for `outputReportMs` (output left out of a long log never
 * arrives). Returns false if nothing was new.
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
    silentMs?: number | null | undefined;
  },
): Promise<boolean> {
  const { silentMs, outputReportMs, ...of } = fact;
  if (silentMs !== undefined) return recordSilence(tx, of, silentMs === null ? null : of.now - silentMs);
  const { changes } = await tx.run(
    `UPDATE builds SET reported = 1, host_output_at = :hostOutputAt,
       last_output_at = CASE WHEN :hostOutputAt IS NULL OR host_output_at = :hostOutputAt
           OR last_output_at > :now - :outputReportMs
         THEN last_output_at ELSE :now END
     WHERE build_id = :buildId AND status = 'running' AND host_id = :hostId AND attempt = :attempt
       AND (reported = 0 OR COALESCE(host_output_at, -1) <> COALESCE(:hostOutputAt, -1))`,
    { ...of, outputReportMs },
  );
  return changes === 1;
}

/** Differences below this come from the way of the message. */
const SAME_MS = 1_000;

async function recordSilence(
  tx: Transaction,
  { hostId, buildId, attempt, hostOutputAt }: Omit<Parameters<typeof recordFact>[1], 'outputReportMs'>,
  outputAt: number | null,
): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE builds SET reported = 1, host_output_at = :hostOutputAt,
       last_output_at = CASE WHEN ABS(COALESCE(last_output_at, 0) - COALESCE(:outputAt, 0)) < ${SAME_MS}
         THEN last_output_at ELSE COALESCE(:outputAt, last_output_at) END
     WHERE build_id = :buildId AND status = 'running' AND host_id = :hostId AND attempt = :attempt
       AND (reported = 0 OR COALESCE(host_output_at, -1) <> COALESCE(:hostOutputAt, -1)
         OR ABS(COALESCE(last_output_at, 0) - COALESCE(:outputAt, last_output_at, 0)) >= ${SAME_MS})`,
    { hostId, buildId, attempt, hostOutputAt, outputAt },
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
 * Records the commit of a running attempt, with title and author if the host says them. Returns the build, or null if a commit is already recorded (it does
 * not change during an attempt) or the attempt no longer runs on this host.
 */
export function recordCommit(
  tx: Transaction,
  {
    about,
    ...fact
  }: { hostId: string; buildId: string; attempt: number; commitSha: string; about: CommitAbout | null },
): Promise<Build | null> {
  return builds.getOf(
    tx,
    `UPDATE builds SET commit_sha = :commitSha, commit_title = :title, commit_author = :author
     WHERE build_id = :buildId AND status = 'running' AND host_id = :hostId AND attempt = :attempt
       AND commit_sha IS NULL
     RETURNING ${builds.columns}`,
    { ...fact, title: about?.title ?? null, author: about?.author ?? null },
  );
}

/** Records the steps of a running attempt. Returns null if they are known already. */
export function recordSteps(
  tx: Transaction,
  { steps, ...of }: { hostId: string; buildId: string; attempt: number; steps: readonly StepTime[] },
): Promise<Pick<Build, 'accountId' | 'workspaceId'> | null> {
  return placeOfBuild.getOf(
    tx,
    `UPDATE builds SET steps = :steps
     WHERE build_id = :buildId AND status = 'running' AND host_id = :hostId AND attempt = :attempt
       AND steps <> :steps
     RETURNING ${placeOfBuild.columns}`,
    { ...of, steps: JSON.stringify(steps) },
  );
}

const placeOfBuild = builds.pick('accountId', 'workspaceId');

/**
 * Requests a stop of a running attempt, with an optional warning shown to its owner. Returns null if it is not running
 * or is already being stopped.
 */
export function requestStop(
  tx: Transaction,
  build: Pick<Build, 'buildId' | 'attempt' | 'warnings'>,
  reason: StopReason,
  now: number,
  warning: Message | null = null,
): Promise<Build | null> {
  const warnings = warning === null ? build.warnings : [...build.warnings, warning];
  return builds.change(
    tx,
    { buildId: build.buildId, attempt: build.attempt, status: 'running', stopRequestedAt: null },
    { stopReason: reason, stopRequestedAt: now, warnings },
  );
}

/**
 * Stores a result whose log is not complete yet, without its list of artifacts, which is not needed to end the build.
 */
export async function keepResult(
  tx: Transaction,
  build: Pick<Build, 'buildId' | 'attempt'>,
  result: BuildResult,
): Promise<void> {
  const { buildId, attempt } = build;
  await builds.update(
    tx,
    { buildId, attempt, status: 'running' },
    {
      finishResult: { ...result, artifacts: [] },
      reported: true,
    },
  );
}

const keptResult = builds.pick('finishResult');

/** Returns the stored result, or null. */
export async function findKeptResult(q: Queries, buildId: string): Promise<BuildResult | null> {
  return (await keptResult.get(q, 'WHERE build_id = :buildId', { buildId }))?.finishResult ?? null;
}
