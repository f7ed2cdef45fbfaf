// Limits guessing of passwords without letting a stranger lock anybody out.
import type { Clock } from '../../../shared/clock.js';
import { clientBlock } from '../../platform/domain/cidr.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { normalizeEmail } from '../../platform/domain/person.js';
import { createRateLimiter } from '../../platform/http/rate-limit.js';
import type { Sessions } from '../app/sessions.js';

export type SignInThrottle = ReturnType<typeof createSignInThrottle>;

export function createSignInThrottle(deps: { clock: Clock; limits: Limits; sessions: Pick<Sessions, 'knownAddress'> }) {
  const { clock, limits, sessions } = deps;
  const pairs = createRateLimiter(clock, limits.sign_in_failures_per_minute, limits.rate_limit_callers);
  const addresses = createRateLimiter(clock, limits.sign_in_failures_per_minute_address, limits.rate_limit_callers);
  const emails = createRateLimiter(clock, limits.sign_in_failures_per_minute_email, limits.rate_limit_callers);

  return {
    /**
     * Runs `attempt` when this address may still try. A successful one is not counted. Throws rate_limited.
     * Three limits a minute: an address with one e-mail; an address with any; an e-mail from any address. The last one
     * does not apply to addresses from which that person has signed in lately, so strangers only use up their own
     * share.
     *
     * @param about.email null: the person is not known, so only the limit of the address applies
     */
    async run<T>({ email: given, ip }: { email: string | null; ip: string }, attempt: () => Promise<T>): Promise<T> {
      const email = normalizeEmail(given ?? '') ?? '';
      const block = clientBlock(ip);
      const shares = [
        { limiter: pairs, name: `${block} ${email}` },
        { limiter: addresses, name: block },
      ];
      if (given !== null && !(await sessions.knownAddress(email, (known) => clientBlock(known) === block))) {
        shares.push({ limiter: emails, name: email });
      }
      // All limits are checked first, so that a refusal by one does not count towards another.
      const waits = shares.map(({ limiter, name }) => limiter.take(name, 0).retryAfterS);
      const waitS = Math.max(...waits);
      if (waitS > 0) throw new ApiError('rate_limited', { retryAfterS: waitS });
      // Counted before the password is checked, so that concurrent guesses are limited too.
      for (const { limiter, name } of shares) limiter.take(name);
      const result = await attempt();
      for (const { limiter, name } of shares) limiter.take(name, -1);
      return result;
    },
  };
}
