// The one statement by which a build's status changes.

import type { SqlValue, Transaction } from '../../platform/store/sql.js';
import { type Build, type BuildEvent, buildTransitions } from '../domain/build.js';
import type { CommitState } from '../domain/commit-state.js';
import { type BuildRow, toBuild } from './builds.js';

/** Fields that a change of status may set with it. */
export type BuildChanges = Partial<
  Pick<
    Build,
    | 'rentalId'
    | 'hostId'
    | 'attempt'
    | 'requeued'
    | 'startRetried'
    | 'requeuedAt'
    | 'priority'
    | 'stopReason'
    | 'stopRequestedAt'
    | 'reported'
    | 'startedAt'
    | 'attemptStartedAt'
    | 'deadlineAt'
    | 'lastOutputAt'
    | 'endedAt'
    | 'exitCode'
    | 'endReason'
    | 'failure'
    | 'warnings'
    | 'logBase'
  >
>;

const CHANGE_COLUMNS: Record<keyof BuildChanges, string> = {
  rentalId: 'rental_id',
  hostId: 'host_id',
  attempt: 'attempt',
  requeued: 'requeued',
  startRetried: 'start_retried',
  requeuedAt: 'requeued_at',
  priority: 'priority',
  stopReason: 'stop_reason',
  stopRequestedAt: 'stop_requested_at',
  reported: 'reported',
  startedAt: 'started_at',
  attemptStartedAt: 'attempt_started_at',
  deadlineAt: 'deadline_at',
  lastOutputAt: 'last_output_at',
  endedAt: 'ended_at',
  exitCode: 'exit_code',
  endReason: 'end_reason',
  failure: 'failure',
  warnings: 'warnings',
  logBase: 'log_base',
};

function toValue(value: BuildChanges[keyof BuildChanges]): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

/**
 * Takes a build from the status and attempt in which it was seen to where `event` leads, and reserves numbers
 * for `events` events. Null when the table has no such way or the build is not as it was seen any more.
 */
export async function changeBuild(
  tx: Transaction,
  seen: Pick<Build, 'buildId' | 'status' | 'attempt'>,
  event: BuildEvent,
  changes: BuildChanges,
  events: number,
): Promise<{ build: Build; firstSequence: number } | null> {
  const to = buildTransitions[seen.status][event];
  if (to === null) return null;
  const params: Record<string, SqlValue> = {
    buildId: seen.buildId,
    from: seen.status,
    to,
    seenAttempt: seen.attempt,
    events,
  };
  let set = '';
  for (const name of Object.keys(changes) as (keyof BuildChanges)[]) {
    set += `, ${CHANGE_COLUMNS[name]} = :${name}`;
    params[name] = toValue(changes[name]);
  }
  // What the host said belongs to the attempt that it said it of.
  if (changes.attempt !== undefined)
    set += ', finish_result = NULL, host_output_at = NULL, checked_out_sha = NULL';
  const row = await tx.get<BuildRow>(
    `UPDATE builds SET status = :to, event_sequence = event_sequence + :events${set}
     WHERE build_id = :buildId AND status = :from AND attempt = :seenAttempt RETURNING *`,
    params,
  );
  return row ? { build: toBuild(row), firstSequence: row.event_sequence - events + 1 } : null;
}

/** What is shown of its commit; `state` undefined leaves the one that is there. */
export async function setCommitState(
  tx: Transaction,
  buildId: string,
  shown: { state?: CommitState; error: string | null },
): Promise<void> {
  await tx.run(
    `UPDATE builds SET commit_state = COALESCE(:state, commit_state), commit_state_error = :error
     WHERE build_id = :buildId`,
    { buildId, state: shown.state ?? null, error: shown.error },
  );
}
