// How many requests a key may still send. One bucket a key: full it holds a minute's quota, and it refills evenly.

export interface Bucket {
  tokens: number;
  /** When `tokens` was right, ms. */
  at: number;
}

export interface Taken {
  readonly ok: boolean;
  /** Whole requests left. */
  readonly remaining: number;
  /** Seconds until the bucket is full again, at least 0. */
  readonly resetS: number;
  /** Seconds until one request is possible; 0 when it is now. */
  readonly retryAfterS: number;
}

/** Takes `cost` (1; 0 to look; -1 to give back) from the bucket, which holds `perMinute` when full. Changes the bucket. */
export function take(bucket: Bucket, perMinute: number, now: number, cost = 1): Taken {
  const perMs = perMinute / 60_000;
  // A clock that went back gives nothing and takes nothing.
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
