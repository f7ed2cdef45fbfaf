// Slows down guessing of passwords, without letting a stranger lock anybody out.
import type { Clock } from '../../../shared/clock.js';
import { clientBlock } from '../../platform/domain/cidr.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { normalizeEmail } from '../../platform/domain/person.js';
import { createRateLimiter } from '../../platform/http/rate-limit.js';
import type { Sessions } from '../app/sessions.js';

export interface SignInThrottle {
  /**
   * Runs `attempt` when this address may still try. One that succeeds costs nothing. Throws rate_limited.
   *
   * Three bounds a minute: an address with one e-mail; an address with any; an e-mail from anywhere. The last one does
   * not hold for addresses from which that person has signed in lately: strangers use up their own share only.
   */
  run<T>(about: { email: string; ip: string }, attempt: () => Promise<T>): Promise<T>;
}

export function createSignInThrottle(deps: {
  clock: Clock;
  limits: Limits;
  sessions: Pick<Sessions, 'knownAddress'>;
}): SignInThrottle {
  const { clock, limits, sessions } = deps;
  const pairs = createRateLimiter(clock, limits.sign_in_failures_per_minute);
  const addresses = createRateLimiter(clock, limits.sign_in_failures_per_minute_address);
  const emails = createRateLimiter(clock, limits.sign_in_failures_per_minute_email);

  return {
    async run({ email: given, ip }, attempt) {
      const email = normalizeEmail(given) ?? '';
      const block = clientBlock(ip);
      const shares = [
        { limiter: pairs, name: `${block} ${email}` },
        { limiter: addresses, name: block },
      ];
      if (!(await sessions.knownAddress(email, (known) => clientBlock(known) === block))) {
        shares.push({ limiter: emails, name: email });
      }
      // Looked at first, so that who is refused by one bound does not use up another.
      const waits = shares.map(({ limiter, name }) => limiter.take(name, 0).retryAfterS);
      const waitS = Math.max(...waits);
      if (waitS > 0) throw new ApiError('rate_limited', { retryAfterS: waitS });
      // Taken before the password is checked: many guesses at once get no further than as many in a row.
      for (const { limiter, name } of shares) limiter.take(name);
      const result = await attempt();
      for (const { limiter, name } of shares) limiter.take(name, -1);
      return result;
    },
  };
}
