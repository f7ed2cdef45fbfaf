// Limits requests for links, the same for addresses that somebody has and others.
import type { Clock } from '../../../shared/clock.js';
import { clientBlock } from '../../platform/domain/cidr.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { createRateLimiter } from '../../platform/http/rate-limit.js';

export function createPasswordResetThrottle(
  clock: Clock,
  limits: Pick<Limits, 'password_resets_per_minute' | 'rate_limit_callers'>,
) {
  const limiter = () => createRateLimiter(clock, limits.password_resets_per_minute, limits.rate_limit_callers);
  const [addresses, emails] = [limiter(), limiter()];
  return {
    /** Throws rate_limited. */
    take({ email, ip }: { email: string; ip: string }): void {
      const waits = [addresses.take(clientBlock(ip)), emails.take(email)].map(({ ok, retryAfterS }) =>
        ok ? 0 : retryAfterS,
      );
      const retryAfterS = Math.max(...waits);
      if (retryAfterS > 0) throw new ApiError('rate_limited', { retryAfterS });
    },
  };
}

export type PasswordResetThrottle = ReturnType<typeof createPasswordResetThrottle>;
