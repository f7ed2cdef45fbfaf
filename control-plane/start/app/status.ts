// The status of an account: Macs, queue, last builds, unpaid orders and advice.

import { newestEndedBuilds } from '../../builds/app/build-lookup.js';
import {
  type AccountQueue,
  macNamesOf,
  type PlacedBuild,
  placeBuilds,
  type QueueDeps,
  readWholeQueue,
} from '../../builds/app/queue.js';
import type { Step } from '../../platform/app/turns.js';
import type { Scope } from '../../platform/domain/caller.js';
import type { Availability } from '../../renting/app/availability.js';
import { readExtensionBasis, withExtensions } from '../../renting/app/extension-items.js';
import { unpaidOrders as readUnpaidOrders } from '../../renting/app/order-lookup.js';
import { type Advice, adviceFor } from '../../renting/domain/advice.js';
import type { RentedMac } from '../../renting/domain/extension.js';
import type { Order } from '../../renting/domain/order.js';

export interface AccountStatus {
  readonly macs: readonly RentedMac[];
  readonly advice: readonly Advice[];
  readonly queue: AccountQueue;
  /** The last that ended; those that wait or run are in the queue. */
  readonly lastBuilds: readonly PlacedBuild[];
  /** Orders that can be paid now. */
  readonly unpaidOrders: readonly Order[];
}

export function createStatus(deps: Pick<QueueDeps, 'store' | 'limits'> & { availability: Availability }) {
  const { store, limits } = deps;
  return {
    /** @param now ms since the epoch; queue positions, estimates and advice are computed for this time */
    async read(scope: Scope, now: number, step: Step): Promise<AccountStatus> {
      const { accountId } = scope;
      const { whole, beside } = await readWholeQueue({ store, limits }, scope, step, async (macs) => {
        const [last, basis, unpaidOrders] = await Promise.all([
          newestEndedBuilds(store, scope, limits.last_builds),
          readExtensionBasis(store, deps.availability, accountId),
          readUnpaidOrders(store, accountId, now),
        ]);
        return { last, macs: withExtensions(macs, basis, now, limits), unpaidOrders };
      });
      const { last, macs, unpaidOrders } = beside;
      const macNames = await macNamesOf(store, last);
      await step();
      const queue = placeBuilds(whole, now, limits);
      return {
        macs,
        advice: adviceFor(macs, whole.state.queued.length, now),
        queue,
        lastBuilds: last.map((build) => ({ place: null, build, macNames })),
        unpaidOrders,
      };
    },
  };
}
export type Status = ReturnType<typeof createStatus>;
