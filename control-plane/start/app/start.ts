// The facts about an account that the start document shows.
import { newestBuilds } from '../../builds/app/build-lookup.js';
import type { Build } from '../../builds/domain/build.js';
import type { MacProblemCode } from '../../macs/domain/mac-problem.js';
import type { Core } from '../../platform/app/core.js';
import { payUrl, type SiteAddresses } from '../../platform/domain/addresses.js';
import { type Caller, scopeOf } from '../../platform/domain/caller.js';
import type { Availability } from '../../renting/app/availability.js';
import type { Catalog, TierOnSale } from '../../renting/app/catalog.js';
import { readExtensionBasis } from '../../renting/app/extension-items.js';
import { newestOrders } from '../../renting/app/order-lookup.js';
import { rentedMacsOf } from '../../renting/app/rentals.js';
import { extensionOf } from '../../renting/domain/extension.js';
import type { Order, OrderKind } from '../../renting/domain/order.js';
import { FOREVER, remainingSeconds } from '../../renting/domain/rental.js';

export interface StartFacts {
  readonly tiers: readonly TierOnSale[];
  readonly macs: readonly StartMac[];
  /** Orders that are not paid yet, and orders whose Macs are being prepared; newest first. */
  readonly orders: readonly StartOrder[];
  readonly queue: { readonly running: number; readonly queued: number };
  /** ms since the epoch. */
  readonly now: number;
  /** The newest build. Null if there is none. */
  readonly lastBuild: Pick<Build, 'buildId' | 'status' | 'failure'> | null;
}

export interface StartMac {
  readonly rentalId: string;
  readonly name: string;
  readonly tier: string;
  readonly state: string;
  readonly xcode: string | null;
  readonly startsAt: number;
  readonly remainingS: number;
  /** Granted by the operator: no order, and no extension. */
  readonly granted: boolean;
  readonly endless: boolean;
  /** Whole days by which it can be extended; 0: order a new Mac. */
  readonly maxExtendDays: number;
  /** Whether its host is connected, is not draining, and has disk space. */
  readonly takesBuilds: boolean;
  /** Why its host cannot make it; null: it can. */
  readonly problem: MacProblemCode | null;
}

export interface StartOrder {
  readonly orderNo: string;
  readonly kind: OrderKind;
  readonly units: number;
  readonly hours: number;
  readonly amountWon: number;
  /** Null once the order is paid. */
  readonly payUrl: string | null;
  readonly payUntil: number;
  /** Null: as soon as it is paid. */
  readonly startAt: number | null;
  /** Ids of the rentals that the order extends. */
  readonly extends: readonly string[];
}

export type Start = ReturnType<typeof createStart>;

export function createStart(
  deps: Pick<Core, 'store' | 'clock' | 'limits'> & {
    site: SiteAddresses;
    catalog: Catalog;
    availability: Availability;
  },
) {
  const { store, clock, limits, site, catalog, availability } = deps;
  const startOrder = (order: Order): StartOrder => ({
    orderNo: order.orderNo,
    kind: order.kind,
    units: order.units,
    hours: order.hours,
    amountWon: order.amountWon,
    payUrl: order.status === 'awaiting_payment' ? payUrl(site, order.orderNo) : null,
    payUntil: order.payExpiresAt,
    startAt: order.startAt,
    extends: order.items.map(({ rentalId }) => rentalId),
  });
  return {
    async facts(caller: Caller): Promise<StartFacts> {
      const scope = scopeOf(caller);
      const { accountId } = scope;
      const [tiers, macs, queue, orders, builds] = await Promise.all([
        catalog.list(caller.account),
        rentedMacsOf(store, accountId),
        catalog.queueCounts(accountId),
        newestOrders(store, accountId, ['awaiting_payment', 'paid', 'provisioning'], limits.start_orders),
        newestBuilds(store, scope, 1),
      ]);
      const now = clock.now();
      const { factsOf } = await readExtensionBasis(store, availability, accountId);
      return {
        tiers,
        macs: macs.map((mac) => ({
          rentalId: mac.rentalId,
          name: mac.name,
          tier: mac.tier,
          state: mac.state,
          xcode: mac.xcode,
          startsAt: mac.startsAt,
          remainingS: remainingSeconds(mac, now),
          granted: mac.granted !== null,
          endless: mac.endsAt === FOREVER,
          maxExtendDays: extensionOf(mac, factsOf(mac), now, limits).maxExtendDays,
          takesBuilds: mac.hostTakesBuilds,
          problem: mac.making?.problem?.code ?? null,
        })),
        orders: orders.map(startOrder),
        queue,
        now,
        lastBuild: builds[0] ?? null,
      };
    },
  };
}
