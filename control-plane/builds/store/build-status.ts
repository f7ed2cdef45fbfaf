// The only statement that changes a build's status.

import type { Message } from '../../../shared/messages/message.js';
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
    | 'logLimit'
  >
>;

const unreported = {
  finishResult: null,
  hostOutputAt: null,
  commitSha: null,
  commitTitle: null,
  commitAuthor: null,
  steps: [],
};

/**
 * Applies `event` to a build in the status and attempt that were read, and reserves numbers for `events` events.
 * Returns null if the transition is not allowed or the build has changed since it was read.
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
  // The host's report belongs to one attempt.
  const ofAttempt = changes.attempt === undefined ? {} : unreported;
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
  { state, error }: { state?: CommitState; error: Message | null },
): Promise<void> {
  const told = state === undefined ? {} : { commitState: state };
  await builds.update(tx, { buildId }, { ...told, commitStateError: null, commitStateMessage: error });
}
