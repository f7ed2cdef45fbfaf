// Where each waiting build of one account stands: positions, estimate and reason, all from the same moment.
import type { WaitReason } from './build.js';
import { estimateStarts, type RunningBuild } from './estimates.js';
import type { Limits } from './limits.js';
import { type RunningPerKey, waitReasonOf } from './placement.js';
import { inQueueOrder, type QueuedBuild } from './queue.js';
import type { Mac } from './rental.js';

export interface Place {
  /** From 1: the next to start, by priority and requeue. */
  readonly queuePosition: number;
  /** From 0: how many waiting builds were created before. */
  readonly fifoPosition: number;
  /** Ms since the epoch; null when it cannot be said. */
  readonly estimatedStartAt: number | null;
  readonly waitReason: WaitReason | null;
}

/** Everything that the turn of one account's builds depends on. */
export interface QueueState {
  readonly macs: readonly Mac[];
  readonly running: readonly RunningBuild[];
  /** In any order. */
  readonly queued: readonly QueuedBuild[];
}

export function runningPerKey(running: readonly RunningBuild[]): RunningPerKey {
  const counts = new Map<string | null, number>();
  for (const { keyId } of running) counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  return counts;
}

/** Places per build id, in queue order. */
export function placesOf(state: QueueState, now: number, limits: Limits): Map<string, Place> {
  const ordered = inQueueOrder(state.queued, now, limits);
  const starts = estimateStarts({ ...state, now, queued: ordered, limits });
  const perKey = runningPerKey(state.running);
  const bySeq = ordered.map((build) => build.seq).sort((a, b) => a - b);
  const fifo = new Map(bySeq.map((seq, index) => [seq, index]));
  return new Map(
    ordered.map((build, index) => [
      build.buildId,
      {
        queuePosition: index + 1,
        fifoPosition: fifo.get(build.seq) ?? 0,
        estimatedStartAt: starts.get(build.buildId) ?? null,
        waitReason: waitReasonOf(build, state.macs, perKey, limits),
      },
    ]),
  );
}
