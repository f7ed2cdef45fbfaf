// Limits requests per minute and key, and failed sign-ins per minute and address.
import type { Clock } from '../../../shared/clock.js';
import { type Bucket, fullBucket, type Taken, take } from '../domain/token-bucket.js';

export interface RateLimiter {
  readonly perMinute: number;
  /** Takes one request from the bucket of `name`. Cost 0 only reads the bucket, -1 returns a request. */
  take(name: string, cost?: -1 | 0 | 1): Taken;
}

/** Keeps buckets in memory, so a restart resets them. At `mostNames` buckets, full ones are deleted. */
export function createRateLimiter(clock: Clock, perMinute: number, mostNames: number): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const forget = (now: number) => {
    for (const [name, bucket] of buckets) {
      if (take(bucket, perMinute, now, 0).resetS <= 0) buckets.delete(name);
    }
    // If too many remain, all of them are in use: delete the oldest, which resets their limits.
    for (const name of buckets.keys()) {
      if (buckets.size < mostNames / 2) break;
      buckets.delete(name);
    }
  };
  return {
    perMinute,
    take(name, cost = 1) {
      const now = clock.now();
      let bucket = buckets.get(name);
      if (!bucket) {
        if (buckets.size >= mostNames) forget(now);
        bucket = fullBucket(perMinute, now);
        buckets.set(name, bucket);
      }
      return take(bucket, perMinute, now, cost);
    },
  };
}
