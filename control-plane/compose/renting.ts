// Catalog, orders, and the rentals that they pay for.
import { type NewNotice, notify } from '../access/app/notices.js';
import type { Hosts } from '../hosts/app/hosts.js';
import type { ReportedMacs } from '../macs/app/reported-macs.js';
import { createTiers } from '../macs/app/tiers.js';
import { requestRefund } from '../payments/app/refunds.js';
import type { Transaction } from '../platform/store/sql.js';
import { createAvailability } from '../renting/app/availability.js';
import { createAvailabilityAudit } from '../renting/app/availability-audit.js';
import { createCatalog } from '../renting/app/catalog.js';
import { createExtensions } from '../renting/app/extensions.js';
import { shiftUnpaid } from '../renting/app/holds.js';
import type { Refund } from '../renting/app/order-changes.js';
import { createOrders } from '../renting/app/orders.js';
import { createQuotes } from '../renting/app/quotes.js';
import { createRentalGrants } from '../renting/app/rental-grants.js';
import { createRentals } from '../renting/app/rentals.js';
import { createRentedMacs } from '../renting/app/rented-macs.js';
import { createWaitlist } from '../renting/app/waitlist.js';
import { createCatalogRoutes } from '../renting/http/api-catalog.js';
import { createExtensionRoutes } from '../renting/http/api-extensions.js';
import { createOrderRoutes } from '../renting/http/api-orders.js';
import { createQuoteRoutes } from '../renting/http/api-quote.js';
import { createRentalRoutes } from '../renting/http/api-rentals.js';
import { createWaitlistRoutes } from '../renting/http/api-waitlist.js';
import { auditWorker, rentingWorkers } from '../renting/workers/table.js';
import type { composeBuilds } from './builds.js';
import type { Base, Platform } from './platform.js';

export type Orders = ReturnType<typeof composeOrders>;

/** Changes of orders, shared with operators' commands. */
export function composeOrders(base: Base) {
  const changes = {
    ...base,
    availability: createAvailability(),
    notify: (tx: Transaction, notice: NewNotice) => notify(tx, base, notice),
    requestRefund: (tx: Transaction, refund: Refund) => requestRefund(tx, base, refund),
  };
  return {
    /** Dependencies of every change of an order. */
    changes,
    tiers: createTiers(base),
    rentals: createRentals(base),
    rentalGrants: createRentalGrants(changes),
  };
}

export function composeRenting(
  platform: Platform,
  { changes }: Pick<Orders, 'changes'>,
  below: {
    readonly hosts: Hosts;
    readonly reportedMacs: ReportedMacs;
    readonly builds: Pick<ReturnType<typeof composeBuilds>, 'runs' | 'ends'>;
  },
) {
  const deps = { ...platform, ...changes };
  const catalog = createCatalog(deps);
  const audit = createAvailabilityAudit({ ...deps, reportedMacs: below.reportedMacs });
  return {
    catalog,
    audit,
    apiRoutes: [
      ...createCatalogRoutes({ catalog }),
      ...createQuoteRoutes({ ...deps, quotes: createQuotes(deps) }),
      ...createOrderRoutes({ ...deps, orders: createOrders(deps) }),
      ...createRentalRoutes({ ...deps, rentedMacs: createRentedMacs(deps) }),
      ...createExtensionRoutes({ ...deps, extensions: createExtensions(deps) }),
      ...createWaitlistRoutes({ ...deps, waitlist: createWaitlist(deps) }),
    ],
    workers: rentingWorkers({ ...below.builds.ends, ...deps, hosts: below.hosts, runs: below.builds.runs }),
    realTimeWorkers: [auditWorker({ ...deps, audit })],
    shiftSpans: shiftUnpaid,
    gauges: audit.gauges,
    degradations: [audit.degradations],
  };
}
