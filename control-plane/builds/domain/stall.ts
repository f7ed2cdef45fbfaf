// A build that does not get on: told once per reason, its status does not change.

import type { Limits } from '../../platform/domain/limits.js';
import type { Build } from './build.js';

export const stallReasons = ['queued_too_long', 'no_log_output'] as const;
export type StallReason = (typeof stallReasons)[number];

export interface Stall {
  readonly reason: StallReason;
  readonly thresholdS: number;
  /** Since when it has been so, ms since the epoch. */
  readonly since: number;
  readonly lastOutputAt: number | null;
}

type Watched = Pick<
  Build,
  'status' | 'createdAt' | 'requeuedAt' | 'attemptStartedAt' | 'lastOutputAt' | 'stopRequestedAt'
>;

/** When the build will count as stalled if nothing happens to it; null when it never will as it is. */
export function stallsAt(build: Watched, limits: Limits): number | null {
  if (build.status === 'queued') return waitsSince(build) + limits.stall_queued_ms;
  if (build.status !== 'running' || build.stopRequestedAt !== null) return null;
  return silentSince(build) + limits.stall_silence_ms;
}

/** The stall that holds at `now`, or null. */
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

/** A build whose Mac ended while it ran has begun to wait anew. */
function waitsSince({ createdAt, requeuedAt }: Watched): number {
  return requeuedAt ?? createdAt;
}

/** Whole seconds since the build last printed something, or started; null unless it runs. */
export function silentSeconds(build: Watched, now: number): number | null {
  return build.status === 'running' ? Math.max(0, Math.floor((now - silentSince(build)) / 1000)) : null;
}

function silentSince(build: Watched): number {
  return Math.max(build.lastOutputAt ?? 0, build.attemptStartedAt ?? build.createdAt);
}
