// GET /me, GET /account.
import type { Clock } from '../../../shared/clock.js';
import { callerName } from '../../platform/domain/caller.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { RateLimiter } from '../../platform/http/rate-limit.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { meShape, meView } from './account-view.js';

export interface AccountRoutesDeps {
  readonly limits: Limits;
  readonly rateLimiter: RateLimiter;
  readonly clock: Clock;
}

export function createAccountRoutes({ limits, rateLimiter, clock }: AccountRoutesDeps): AnyRoute[] {
  return ['/me', '/account'].map((path) =>
    route({
      method: 'GET',
      path,
      summary: 'The account, the key, its limits and its remaining requests',
      responses: { 200: meShape },
      async handle({ caller }) {
        const { remaining, resetS } = rateLimiter.take(callerName(caller), 0);
        return { status: 200, body: meView(caller, limits, remaining, clock.now() + resetS * 1000) };
      },
    }),
  );
}
