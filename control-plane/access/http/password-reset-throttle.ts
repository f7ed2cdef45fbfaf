// Limits requests for links, the same for addresses that somebody has and others.
import { clientBlock } from '../../platform/domain/cidr.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { RateLimits } from '../../platform/http/rate-limit.js';

export function createPasswordResetThrottle(
  rateLimits: RateLimits,
  limits: Pick<Limits, 'password_resets_per_minute'>,
) {
  const limiter = (kind: string) => rateLimits({ kind, perMinute: limits.password_resets_per_minute, exact: true });
  const [addresses, emails] = [limiter('reset address'), limiter('reset email')];
  return {
    /** Throws rate_limited. */
    async take({ email, ip }: { email: string; ip: string }): Promise<void> {
      const taken = await Promise.all([addresses.take(clientBlock(ip)), emails.take(email)]);
      const waits = taken.map(({ ok, retryAfterS }) => (ok ? 0 : retryAfterS));
      const retryAfterS = Math.max(...waits);
      if (retryAfterS > 0) throw new ApiError('rate_limited', { retryAfterS });
    },
  };
}

export type PasswordResetThrottle = ReturnType<typeof createPasswordResetThrottle>;
