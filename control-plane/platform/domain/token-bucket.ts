// Rate limit by token bucket, one per key: capacity is the quota of one minute, refilled at a constant rate.

export interface Bucket {
  tokens: number;
  /** Time of the last update of `tokens`, ms. */
  at: number;
}

export interface Taken {
  readonly ok: boolean;
  /** Whole requests left. */
  readonly remaining: number;
  /** Seconds until the bucket is full again, at least 0. */
  readonly resetS: number;
  /** Seconds until the next request is possible; 0 if it is possible now. */
  readonly retryAfterS: number;
}

/**
 * Takes `cost` tokens (default: 1; 0 to read; -1 to refund) from a bucket of capacity `perMinute`, which it modifies.
 */
export function take(bucket: Bucket, perMinute: number, now: number, cost = 1): Taken {
  const perMs = perMinute / 60_000;
  // If the clock went back, tokens are neither added nor removed.
  bucket.tokens = Math.min(perMinute, bucket.tokens + Math.max(0, now - bucket.at) * perMs);
  bucket.at = now;
  const ok = bucket.tokens >= cost;
  if (ok) bucket.tokens -= cost;
  return {
    ok,
    remaining: Math.floor(bucket.tokens),
    resetS: Math.ceil((perMinute - bucket.tokens) / perMs / 1000),
    retryAfterS: bucket.tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000)),
  };
}

export function fullBucket(perMinute: number, now: number): Bucket {
  return { tokens: perMinute, at: now };
}
