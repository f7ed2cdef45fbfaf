// The one statement by which a build's status changes.

import type { Transaction } from '../../platform/store/sql.js';
import { type Build, type BuildEvent, buildTransitions } from '../domain/build.js';
import type { CommitState } from '../domain/commit-state.js';
import { builds } from './builds.js';

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
  // What the host said belongs to the attempt that it said it of.
  const ofAttempt =
    changes.attempt === undefined ? {} : { finishResult: null, hostOutputAt: null, commitSha: null };
  const build = await builds.change(
    tx,
    { buildId: seen.buildId, status: seen.status, attempt: seen.attempt },
    { ...changes, ...ofAttempt, status: to },
    { eventSequence: events },
  );
  return build && { build, firstSequence: build.eventSequence - events + 1 };
}

/** What is shown of its commit; `state` undefined leaves the one that is there. */
export async function setCommitState(
  tx: Transaction,
  buildId: string,
  { state, error }: { state?: CommitState; error: string | null },
): Promise<void> {
  const told = state === undefined ? {} : { commitState: state };
  await builds.update(tx, { buildId }, { ...told, commitStateError: error });
}
