// The rate of API requests: every key and every person has a limit, and so have the keys of an account together, and its
// people together. Programs that use up their share do not keep people out of the console.
import type { Clock } from '../../../shared/clock.js';
import { type Caller, callerName } from '../domain/caller.js';
import type { Limits } from '../domain/limits.js';
import type { Taken } from '../domain/token-bucket.js';
import { createRateLimiter } from './rate-limit.js';

/** The state of the limit with the fewest requests left. */
export interface RequestsLeft extends Taken {
  readonly perMinute: number;
}

export interface RequestRate {
  /**
   * Counts a request, unless one of its limits is reached. Cost 0 counts nothing.
   *
   * @param by a caller, or the id of a person on a page or route without an organization
   */
  take(by: Caller | string, cost?: 0 | 1): RequestsLeft;
}

export function createRequestRate(deps: { clock: Clock; limits: Limits }): RequestRate {
  const { clock, limits } = deps;
  const perMinute = limits.requests_per_minute;
  const callers = createRateLimiter(clock, perMinute, limits.rate_limit_callers);
  const accounts = createRateLimiter(clock, perMinute, limits.rate_limit_callers);
  const sharesOf = (by: Caller | string) => {
    if (typeof by === 'string') return [{ limiter: callers, name: by, perMinute }];
    const { id, limits: own } = by.account;
    const together = `${id} ${by.key ? 'keys' : 'people'}`;
    // A limit of 0 would make the time to wait infinite.
    const ofAccount = Math.max(1, own.account_requests_per_minute ?? perMinute);
    return [
      { limiter: callers, name: callerName(by), perMinute },
      { limiter: accounts, name: together, perMinute: ofAccount },
    ];
  };
  return {
    take(by, cost = 1) {
      const shares = sharesOf(by);
      const waits = shares.map((one) => one.limiter.take(one.name, 0, one.perMinute).retryAfterS);
      const retryAfterS = Math.max(...waits);
      const ok = retryAfterS === 0;
      // A request that one limit refuses counts towards none.
      const left = shares.map((one) => ({
        ...one.limiter.take(one.name, ok ? cost : 0, one.perMinute),
        perMinute: one.perMinute,
      }));
      const least = left.reduce((a, b) => (b.remaining < a.remaining ? b : a));
      return { ...least, ok, retryAfterS: ok ? least.retryAfterS : retryAfterS };
    },
  };
}
