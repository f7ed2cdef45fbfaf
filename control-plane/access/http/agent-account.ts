// GET /me, GET /account.
import type { Clock } from '../../../shared/clock.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { RequestRate } from '../../platform/http/request-rate.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { ReadUsageNow } from '../app/account-usage.js';
import { meShape, meView } from './account-view.js';

export interface AccountRoutesDeps {
  readonly limits: Limits;
  readonly requestRate: RequestRate;
  readonly usageNow: ReadUsageNow;
  readonly clock: Clock;
}

export function createAccountRoutes({ limits, requestRate, usageNow, clock }: AccountRoutesDeps): AnyRoute[] {
  return ['/me', '/account'].map((path) =>
    route({
      method: 'GET',
      path,
      summary: 'The account, the key, its limits and its remaining requests',
      responses: { 200: meShape },
      async handle({ caller }) {
        const { remaining, resetS } = requestRate.take(caller, 0);
        const usage = await usageNow(caller.account.id);
        const rate = { remaining, resetsAt: clock.now() + resetS * 1000 };
        return { status: 200, body: meView(caller, limits, usage, rate) };
      },
    }),
  );
}
