// Where each waiting build of one account stands: positions, estimate and reason, all from the same moment.

import type { Mac } from '../../macs/domain/mac.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { WaitReason } from './build.js';
import { canEstimate, type EstimateBasis, estimateStarts, type RunningBuild } from './estimates.js';
import { type RunningPerKey, waitReasonOf } from './placement.js';
import { inQueueOrder, laneOf, type QueuedBuild } from './queue.js';
import type { History } from './run-times.js';

export interface Place {
  /** From 1: the next to start, by priority and requeue. */
  readonly queuePosition: number;
  /** From 0: how many waiting builds were created before. */
  readonly fifoPosition: number;
  /** Ms since the epoch; null when it cannot be said. */
  readonly estimatedStartAt: number | null;
  /** What the estimate is made of; null without one. */
  readonly estimateBasis: EstimateBasis | null;
  readonly waitReason: WaitReason | null;
}

/** Everything that the turn of one account's builds depends on. */
export interface QueueState {
  readonly macs: readonly Mac[];
  readonly running: readonly RunningBuild[];
  /** In any order. */
  readonly queued: readonly QueuedBuild[];
  /** Of the running and the waiting builds. */
  readonly history?: History;
}

/** History counts as soon as one build has any: then no estimate is an upper bound any more. */
export const basisOf = ({ history }: Pick<QueueState, 'history'>): EstimateBasis =>
  history !== undefined && history.size > 0 ? 'history' : 'timeout_budget';

export function runningPerKey(running: readonly RunningBuild[]): RunningPerKey {
  const counts = new Map<string | null, number>();
  for (const { keyId } of running) counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  return counts;
}

/** How many waiting builds were created before the newest one, and how many of them have their turn before it. */
export interface Before {
  readonly created: number;
  readonly turn: number;
}

/** Whether the waiting builds have to be read to estimate the start of the newest one. */
export function estimateNeedsQueue(
  build: QueuedBuild,
  before: Before,
  macs: readonly Mac[],
  limits: Limits,
): boolean {
  return before.turn < limits.estimated_builds && canEstimate(build, macs);
}

/**
 * The place of the build that came last, from counts: but for its estimate a long queue need not be read.
 *
 * @param state `queued` may be left empty when `estimateNeedsQueue` says no
 */
export function placeOfNewest(
  build: QueuedBuild,
  before: Before,
  state: QueueState,
  now: number,
  limits: Limits,
): Place {
  const { macs, running } = state;
  const queued = inQueueOrder(state.queued, now, limits).slice(0, before.turn + 1);
  const start = estimateStarts({ ...state, queued, now, limits }).get(build.buildId) ?? null;
  return {
    queuePosition: before.turn + 1,
    fifoPosition: before.created,
    estimatedStartAt: start,
    estimateBasis: start === null ? null : basisOf(state),
    waitReason: waitReasonOf(build, macs, runningPerKey(running), limits),
  };
}

/** Places per build id, in queue order; the start is estimated for the first `limits.estimated_builds` of them. */
export function placesOf(state: QueueState, now: number, limits: Limits): Map<string, Place> {
  const ordered = inQueueOrder(state.queued, now, limits);
  const estimated = ordered.slice(0, limits.estimated_builds);
  const starts = estimateStarts({ ...state, now, queued: estimated, limits });
  const perKey = runningPerKey(state.running);
  const bySeq = ordered.map((build) => build.seq).sort((a, b) => a - b);
  const fifo = new Map(bySeq.map((seq, index) => [seq, index]));
  // The same for all builds of one lane.
  const reasons = new Map<string, WaitReason | null>();
  const reasonOf = (build: QueuedBuild) => {
    const lane = laneOf(build);
    let reason = reasons.get(lane);
    if (reason === undefined) {
      reason = waitReasonOf(build, state.macs, perKey, limits);
      reasons.set(lane, reason);
    }
    return reason;
  };
  return new Map(
    ordered.map((build, index) => [
      build.buildId,
      {
        queuePosition: index + 1,
        fifoPosition: fifo.get(build.seq) ?? 0,
        estimatedStartAt: starts.get(build.buildId) ?? null,
        estimateBasis: starts.get(build.buildId) == null ? null : basisOf(state),
        waitReason: reasonOf(build),
      },
    ]),
  );
}
