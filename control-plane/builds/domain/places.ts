// Places of the waiting builds of one account: position, estimate and reason, all as of one moment.

import type { Mac } from '../../macs/domain/mac.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { WaitReason } from './build.js';
import { canEstimate, type EstimateBasis, estimateStarts, type RunningBuild } from './estimates.js';
import { type RunningPerKey, waitReasonOf } from './placement.js';
import { inQueueOrder, type QueuedBuild, queueClassOf } from './queue.js';
import type { History } from './run-times.js';

export interface Place {
  /** Position from 1 in the order of starting. */
  readonly queuePosition: number;
  /** How many waiting builds were created before it, from 0. */
  readonly fifoPosition: number;
  /** Ms since the epoch; null without an estimate. */
  readonly estimatedStartAt: number | null;
  /** The basis of the estimate; null without one. */
  readonly estimateBasis: EstimateBasis | null;
  readonly waitReason: WaitReason | null;
}

/** Everything that the order of one account's builds depends on. */
export interface QueueState {
  readonly macs: readonly Mac[];
  readonly running: readonly RunningBuild[];
  /** In any order. */
  readonly queued: readonly QueuedBuild[];
  /** Of the running and the waiting builds. */
  readonly history?: History;
}

/** If any build has history, estimates are no longer upper bounds. */
export const basisOf = ({ history }: Pick<QueueState, 'history'>): EstimateBasis =>
  history !== undefined && history.size > 0 ? 'history' : 'timeout_budget';

export function runningPerKey(running: readonly RunningBuild[]): RunningPerKey {
  const counts = new Map<string | null, number>();
  for (const { keyId } of running) counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  return counts;
}

/** How many waiting builds were created before the newest one, and how many of them start before it. */
export interface Before {
  readonly created: number;
  readonly turn: number;
}

/** Returns whether estimating the start of the newest build requires the whole queue. */
export function estimateNeedsQueue(build: QueuedBuild, before: Before, macs: readonly Mac[], limits: Limits): boolean {
  return before.turn < limits.estimated_builds && canEstimate(build, macs);
}

/**
 * Returns the place of the newest build from counts; a long queue is read only for its estimate.
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

/** Returns places by build id, in queue order. Starts are estimated for the first `limits.estimated_builds`. */
export function placesOf(state: QueueState, now: number, limits: Limits): Map<string, Place> {
  const ordered = inQueueOrder(state.queued, now, limits);
  const estimated = ordered.slice(0, limits.estimated_builds);
  const starts = estimateStarts({ ...state, now, queued: estimated, limits });
  const perKey = runningPerKey(state.running);
  const bySeq = ordered.map((build) => build.seq).sort((a, b) => a - b);
  const fifo = new Map(bySeq.map((seq, index) => [seq, index]));
  // The same for all builds of one queue class.
  const reasons = new Map<string, WaitReason | null>();
  const reasonOf = (build: QueuedBuild) => {
    const queueClass = queueClassOf(build);
    let reason = reasons.get(queueClass);
    if (reason === undefined) {
      reason = waitReasonOf(build, state.macs, perKey, limits);
      reasons.set(queueClass, reason);
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
