// Limits requests per minute for a name: a key, person, account or client address.
import type { Clock } from '../../../shared/clock.js';
import { type Bucket, fullBucket, type Taken, take } from '../domain/token-bucket.js';

export interface RateLimiter {
  /**
   * Takes one request from the bucket of `name`. Cost 0 only reads the bucket, -1 returns a request.
   *
   * @param perMinute default: that of the limiter
   */
  take(name: string, cost?: -1 | 0 | 1, perMinute?: number): Taken | Promise<Taken>;
}

/** Of one kind of names. */
export interface RateLimiterOptions {
  /** Of the limiter, among all of the service. */
  readonly kind: string;
  readonly perMinute: number;
  /** Each request is counted at once in all processes. Otherwise a process takes several from the bucket at a time. */
  readonly exact?: boolean;
}

/** Creates limiters of one service. */
export type RateLimits = (options: RateLimiterOptions) => RateLimiter;

/** Keeps buckets in memory, so a restart resets them. At `mostNames` buckets, full ones are deleted. */
export function createRateLimiter(clock: Clock, usualPerMinute: number, mostNames: number) {
  const buckets = new Map<string, Bucket & { perMinute: number }>();
  const forget = (now: number) => {
    for (const [name, bucket] of buckets) {
      if (take(bucket, bucket.perMinute, now, 0).resetS <= 0) buckets.delete(name);
    }
    // If too many remain, all of them are in use: delete the oldest, which resets their limits.
    for (const name of buckets.keys()) {
      if (buckets.size < mostNames / 2) break;
      buckets.delete(name);
    }
  };
  return {
    take(name: string, cost: -1 | 0 | 1 = 1, perMinute: number = usualPerMinute): Taken {
      const now = clock.monotonic();
      let bucket = buckets.get(name);
      if (!bucket) {
        if (buckets.size >= mostNames) forget(now);
        bucket = { ...fullBucket(perMinute, now), perMinute };
        buckets.set(name, bucket);
      }
      // An operator may have changed the limit.
      bucket.perMinute = perMinute;
      return take(bucket, perMinute, now, cost);
    },
  };
}
