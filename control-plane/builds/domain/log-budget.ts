// The maximum size of a build's log: a share of what the account and the disk have left.
import type { Limits } from '../../platform/domain/limits.js';

/** Minimum for every build, so that a failure can be diagnosed even if the account's storage is full. */
export const LEAST_LOG_BYTES = 16 * 1024;

/**
 * Returns the maximum size of a build's log, bytes.
 *
 * @param left bytes that the account's limit and the disk leave; negative when they are exceeded
 */
export function logBudget(left: number, { log_bytes: most }: Pick<Limits, 'log_bytes'>): number {
  return Math.min(most, Math.max(LEAST_LOG_BYTES, left));
}

/** Divides the log of an attempt that begins at `logBase` into the head and the tail that its host keeps. */
export function logWindowOf(
  { logLimit, logBase }: { readonly logLimit: number | null; readonly logBase: number },
  limits: Pick<Limits, 'log_bytes' | 'log_tail_bytes'>,
): { head_bytes: number; tail_bytes: number } {
  const budget = logLimit ?? limits.log_bytes;
  const tail =
    budget < limits.log_bytes ? Math.min(limits.log_tail_bytes, Math.floor(budget / 4)) : limits.log_tail_bytes;
  // Output of earlier attempts counts too.
  return { head_bytes: Math.max(0, budget - tail - logBase), tail_bytes: tail };
}

/** Bytes that a host may send beyond the limit, for the line that says how much was omitted. */
const MARKER_BYTES = 64 * 1024;

/** Returns the length at which a log is refused: only a host that ignores its limit reaches it. */
export function longestLog(logLimit: number, { log_tail_bytes: tail }: Pick<Limits, 'log_tail_bytes'>): number {
  return logLimit + tail + MARKER_BYTES;
}
