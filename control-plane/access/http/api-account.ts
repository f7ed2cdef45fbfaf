// GET /me, GET /account.
import type { Core } from '../../platform/app/core.js';
import type { OpenRequests } from '../../platform/http/open-requests.js';
import type { RequestRate } from '../../platform/http/request-rate.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { ReadUsageNow } from '../app/account-usage.js';
import { meShape, meView, usageView } from './account-view.js';

export interface AccountRoutesDeps extends Pick<Core, 'clock' | 'limits'> {
  readonly requestRate: RequestRate;
  readonly openRequests: Pick<OpenRequests, 'of'>;
  readonly usageNow: ReadUsageNow;
}

export function createAccountRoutes(deps: AccountRoutesDeps): AnyRoute[] {
  const { limits, requestRate, openRequests, usageNow, clock } = deps;
  const paths = [
    { path: '/me', operationId: 'getMe' },
    { path: '/account', operationId: 'getAccount' },
  ];
  return paths.map((named) =>
    route({
      ...named,
      method: 'GET',
      level: 'read',
      summary: 'The account, the key and its limits',
      responses: { 200: meShape },
      async handle({ caller }) {
        const { remaining, resetS } = await requestRate.take(caller, 0);
        const { id } = caller.account;
        const usage = { ...usageView(await usageNow(id)), ...(await openRequests.of(id)) };
        const rate = { remaining, resetsAt: clock.now() + resetS * 1000 };
        return { status: 200, body: meView(caller, limits, usage, rate) };
      },
    }),
  );
}
