// Requests a minute for each key, and failed sign-ins a minute for each address.
import type { Clock } from '../../../shared/clock.js';
import { type Bucket, fullBucket, type Taken, take } from '../domain/token-bucket.js';

export interface RateLimiter {
  readonly perMinute: number;
  /** Takes one request of `name`, looks (cost 0), or gives one back (cost -1). */
  take(name: string, cost?: -1 | 0 | 1): Taken;
}

/** Buckets are kept in memory: a restart forgives. Full ones are forgotten when there are many. */
export function createRateLimiter(clock: Clock, perMinute: number, mostNames: number): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const forget = (now: number) => {
    for (const [name, bucket] of buckets) {
      if (take(bucket, perMinute, now, 0).resetS <= 0) buckets.delete(name);
    }
    // Still too many: all of them are busy. The oldest go, which forgives those.
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
