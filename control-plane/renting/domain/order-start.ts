// When the Macs of an order are to start.
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';

/** Returns null, meaning now, for a start that has just passed while the request was sent. Throws invalid_start. */
export function startFrom(startAt: number | null, now: number, limits: Limits): number | null {
  if (startAt === null || (startAt <= now && startAt >= now - limits.order_start_past_ms)) return null;
  if (startAt > now && startAt <= now + limits.order_start_ahead_ms) return startAt;
  const latest = new Date(now + limits.order_start_ahead_ms).toISOString();
  throw new ApiError('invalid_start', {
    message: `start must be "now" or a time from now to ${latest}.`,
    detail: { field: 'start' },
  });
}
