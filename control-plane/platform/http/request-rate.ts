// Limits the rate of API requests: per key, per person, for all keys of an account together, for all its people together,
// and for everybody with links to its builds. Those who use up their share do not lock the others out.
import { limitOf } from '../domain/account-limits.js';
import { type Caller, callerName, isVisitor } from '../domain/caller.js';
import type { Limits } from '../domain/limits.js';
import type { Taken } from '../domain/token-bucket.js';
import type { RateLimits } from './rate-limit.js';

/** The state of the limit with the fewest requests left. */
export interface RequestsLeft extends Taken {
  readonly perMinute: number;
}

/** Returns how many requests per minute the caller shares with others of the account. */
function sharedPerMinute({ account, person }: Caller, limits: Limits): number {
  const most = person ? limits.people_requests_per_minute : limitOf(account, 'account_requests_per_minute', limits);
  // Avoids an infinite wait with a limit of 0.
  return Math.max(1, most);
}

/** Returns how many requests per minute the caller may send when nobody else of the account sends any. */
export const requestsPerMinute = (caller: Caller, limits: Limits): number =>
  Math.min(limits.requests_per_minute, sharedPerMinute(caller, limits));

export type RequestRate = ReturnType<typeof createRequestRate>;

export function createRequestRate({ rateLimits, limits }: { rateLimits: RateLimits; limits: Limits }) {
  const perMinute = limits.requests_per_minute;
  const callers = rateLimits({ kind: 'caller', perMinute });
  const accounts = rateLimits({ kind: 'account', perMinute });
  return {
    /**
     * Counts a request, unless one of its limits is reached. Cost 0 only reads the limits.
     *
     * @param by a caller, or the id of a person on a page or route without an organization
     */
    async take(by: Caller | string, cost: 0 | 1 = 1): Promise<RequestsLeft> {
      const name = typeof by === 'string' ? by : callerName(by);
      const own = await callers.take(name, cost);
      if (typeof by === 'string') return { ...own, perMinute };
      const shared = `${by.account.id} ${by.key ? 'keys' : isVisitor(by) ? 'visitors' : 'people'}`;
      const ofAccount = sharedPerMinute(by, limits);
      // A request that one limit refuses counts towards none.
      const together = await accounts.take(shared, own.ok ? cost : 0, ofAccount);
      const left = own.ok && !together.ok ? await callers.take(name, -1) : own;
      const fewer = together.remaining < left.remaining;
      return {
        ok: own.ok && together.ok,
        remaining: fewer ? together.remaining : left.remaining,
        resetS: fewer ? together.resetS : left.resetS,
        perMinute: fewer ? ofAccount : perMinute,
        retryAfterS: Math.max(left.retryAfterS, together.retryAfterS),
      };
    },
  };
}
