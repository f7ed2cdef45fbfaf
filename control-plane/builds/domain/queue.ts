// The order of the waiting builds of one account.
import type { Labels } from '../../hosts/domain/host-labels.js';
import type { Limits } from '../../platform/domain/limits.js';

/** The fields that decide a waiting build's order and where it can run. Times in ms. */
export interface QueuedBuild {
  readonly buildId: string;
  /** Increases with each new build. */
  readonly seq: number;
  readonly keyId: string | null;
  readonly priority: number;
  readonly requeued: boolean;
  readonly createdAt: number;
  readonly pinnedRentalId: string | null;
  readonly xcode: string | null;
  readonly labels: Labels;
  readonly timeoutMin: number;
  /** See source-key.ts. */
  readonly historyKey?: string | null;
}

/**
 * Returns the queue class of a build. Builds of one class have the same key, pin, Xcode and labels, so a Mac can
 * take either all of them or none. The scheduler therefore reads only the first builds of each class.
 */
export function queueClassOf(build: Pick<QueuedBuild, 'keyId' | 'pinnedRentalId' | 'xcode' | 'labels'>): string {
  const labels = Object.entries(build.labels).sort(([a], [b]) => (a < b ? -1 : 1));
  const last = labels.length === 0 ? [] : [labels];
  return JSON.stringify([build.keyId ?? '', build.pinnedRentalId ?? '', build.xcode ?? '', ...last]);
}

/** Returns 1 for priority 1 and for builds of priority 0 that have waited long enough, which prevents starvation. */
export function priorityClass(build: QueuedBuild, now: number, limits: Limits): 0 | 1 {
  return build.priority >= 1 || now - build.createdAt >= limits.priority_ageing_ms ? 1 : 0;
}

/** Returns a new array: higher priority first, then requeued builds, then creation order. */
export function inQueueOrder<B extends QueuedBuild>(builds: readonly B[], now: number, limits: Limits): B[] {
  return [...builds].sort(
    (a, b) =>
      priorityClass(b, now, limits) - priorityClass(a, now, limits) ||
      Number(b.requeued) - Number(a.requeued) ||
      a.seq - b.seq,
  );
}
