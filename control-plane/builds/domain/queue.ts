// In which order the waiting builds of one account have their turn.
import type { Limits } from '../../platform/domain/limits.js';

/** What decides a waiting build's turn and where it can run. Times in ms. */
export interface QueuedBuild {
  readonly buildId: string;
  /** Rises with creation. */
  readonly seq: number;
  readonly keyId: string | null;
  readonly priority: number;
  readonly requeued: boolean;
  readonly createdAt: number;
  readonly pinnedRentalId: string | null;
  readonly xcode: string | null;
  readonly timeoutMin: number;
  /** See source-key.ts. */
  readonly historyKey?: string | null;
}

/**
 * Builds of one lane have the same key, pin and Xcode: any Mac can take either all of them or none, now. So the
 * scheduler needs to look at the first builds of each lane only, however many wait behind them.
 */
export function laneOf(build: Pick<QueuedBuild, 'keyId' | 'pinnedRentalId' | 'xcode'>): string {
  return JSON.stringify([build.keyId ?? '', build.pinnedRentalId ?? '', build.xcode ?? '']);
}

/** 1 for priority 1 and for builds of priority 0 that have waited long enough; so nothing starves. */
export function queueClass(build: QueuedBuild, now: number, limits: Limits): 0 | 1 {
  return build.priority >= 1 || now - build.createdAt >= limits.priority_ageing_ms ? 1 : 0;
}

/** Higher class first; inside a class requeued builds first, then creation order. A new array. */
export function inQueueOrder<B extends QueuedBuild>(builds: readonly B[], now: number, limits: Limits): B[] {
  return [...builds].sort(
    (a, b) =>
      queueClass(b, now, limits) - queueClass(a, now, limits) ||
      Number(b.requeued) - Number(a.requeued) ||
      a.seq - b.seq,
  );
}
