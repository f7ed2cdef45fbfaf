// Creates the limiters of a service: of this process, or of all that share a database.
import type { Clock } from '../../../shared/clock.js';
import type { SharedBuckets } from '../domain/shared-state.js';
import { createRateLimiter, type RateLimits } from './rate-limit.js';
import { createSharedRateLimiter } from './shared-rate-limit.js';

/** @param shared where processes count together; null: this process counts by itself */
export function createRateLimits(clock: Clock, mostNames: number, shared: SharedBuckets | null): RateLimits {
  return (options) =>
    shared === null
      ? createRateLimiter(clock, options.perMinute, mostNames)
      : createSharedRateLimiter({ ...options, clock, mostNames, shared });
}
