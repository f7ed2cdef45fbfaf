// Limits guessing of passwords without letting a stranger lock anybody out.
import { clientBlock } from '../../platform/domain/cidr.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { normalizeEmail } from '../../platform/domain/person.js';
import type { Taken } from '../../platform/domain/token-bucket.js';
import type { RateLimiter, RateLimits } from '../../platform/http/rate-limit.js';
import type { Sessions } from '../app/sessions.js';

export type SignInThrottle = ReturnType<typeof createSignInThrottle>;

export function createSignInThrottle(deps: {
  rateLimits: RateLimits;
  limits: Limits;
  sessions: Pick<Sessions, 'knownAddress'>;
}) {
  const { rateLimits, limits, sessions } = deps;
  // A wrong password counts at once, wherever the next one arrives.
  const limiter = (kind: string, perMinute: number) => rateLimits({ kind: `sign-in ${kind}`, perMinute, exact: true });
  const pairs = limiter('pair', limits.sign_in_failures_per_minute);
  const addresses = limiter('address', limits.sign_in_failures_per_minute_address);
  const emails = limiter('email', limits.sign_in_failures_per_minute_email);

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
      requireRoom(await takeAll(shares, 0));
      // Counted before the password is checked, so that concurrent guesses are limited too.
      const taken = await takeAll(shares, 1);
      if (taken.some(({ ok }) => !ok)) {
        // Another attempt has come between.
        await takeAll(
          shares.filter((_, i) => taken[i]?.ok),
          -1,
        );
        requireRoom(taken.filter(({ ok }) => !ok));
      }
      const result = await attempt();
      await takeAll(shares, -1);
      return result;
    },
  };
}

interface Share {
  readonly limiter: RateLimiter;
  readonly name: string;
}

const takeAll = (shares: readonly Share[], cost: -1 | 0 | 1): Promise<Taken[]> =>
  Promise.all(shares.map(({ limiter, name }) => limiter.take(name, cost)));

/** Throws rate_limited. */
function requireRoom(taken: readonly Taken[]): void {
  const waitS = Math.max(...taken.map(({ ok, retryAfterS }) => (ok ? retryAfterS : Math.max(1, retryAfterS))));
  if (waitS > 0) throw new ApiError('rate_limited', { retryAfterS: waitS });
}
