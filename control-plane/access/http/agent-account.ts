// GET /me, GET /account.
import type { Clock } from '../../../shared/clock.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { RequestRate } from '../../platform/http/request-rate.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { meShape, meView } from './account-view.js';

export interface AccountRoutesDeps {
  readonly limits: Limits;
  readonly requestRate: RequestRate;
  readonly clock: Clock;
}

export function createAccountRoutes({ limits, requestRate, clock }: AccountRoutesDeps): AnyRoute[] {
  return ['/me', '/account'].map((path) =>
    route({
      method: 'GET',
      path,
      summary: 'The account, the key, its limits and its remaining requests',
      responses: { 200: meShape },
      async handle({ caller }) {
        const { remaining, resetS } = requestRate.take(caller, 0);
        return { status: 200, body: meView(caller, limits, remaining, clock.now() + resetS * 1000) };
      },
    }),
  );
}
