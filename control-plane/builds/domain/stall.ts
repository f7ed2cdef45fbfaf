// Stalls: a build makes no progress. Reported once per reason; the status does not change.

import type { Limits } from '../../platform/domain/limits.js';
import type { Build } from './build.js';

export const stallReasons = ['queued_too_long', 'no_log_output'] as const;
export type StallReason = (typeof stallReasons)[number];

export interface Stall {
  readonly reason: StallReason;
  readonly thresholdS: number;
  /** Since when the build has been stalled, ms since the epoch. */
  readonly since: number;
  readonly lastOutputAt: number | null;
}

type Watched = Pick<
  Build,
  'status' | 'createdAt' | 'requeuedAt' | 'attemptStartedAt' | 'lastOutputAt' | 'stopRequestedAt'
>;

/** Returns when the build counts as stalled if nothing changes; null if it never does. */
export function stallsAt(build: Watched, limits: Limits): number | null {
  if (build.status === 'queued') return waitsSince(build) + limits.stall_queued_ms;
  if (build.status !== 'running' || build.stopRequestedAt !== null) return null;
  return silentSince(build) + limits.stall_silence_ms;
}

/** Returns the stall at `now`, or null. */
export function stallOf(build: Watched, now: number, limits: Limits): Stall | null {
  const at = stallsAt(build, limits);
  if (at === null || now < at) return null;
  return build.status === 'queued'
    ? {
        reason: 'queued_too_long',
        thresholdS: limits.stall_queued_ms / 1000,
        since: waitsSince(build),
        lastOutputAt: null,
      }
    : {
        reason: 'no_log_output',
        thresholdS: limits.stall_silence_ms / 1000,
        since: silentSince(build),
        lastOutputAt: build.lastOutputAt,
      };
}

/** A build requeued at the end of its Mac's rental has begun to wait again. */
function waitsSince({ createdAt, requeuedAt }: Watched): number {
  return requeuedAt ?? createdAt;
}

/** Returns the whole seconds since the build last printed something, or started; null unless it runs. */
export function silentSeconds(build: Watched, now: number): number | null {
  return build.status === 'running' ? Math.max(0, Math.floor((now - silentSince(build)) / 1000)) : null;
}

function silentSince(build: Watched): number {
  return Math.max(build.lastOutputAt ?? 0, build.attemptStartedAt ?? build.createdAt);
}
