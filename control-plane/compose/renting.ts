// Renting's part of the composition: quotes, orders, extensions, rented Macs, the waitlist, and how Macs come into being.
import type { Clock } from '../../shared/clock.js';
import type { NotifyDeps } from '../access/app/notices.js';
import type { Limits } from '../platform/domain/limits.js';
import type { Store } from '../platform/store/sql.js';
import type { Wake } from '../platform/wake.js';
import type { Worker } from '../platform/workers/worker.js';
import { createExtensions } from '../renting/app/extensions.js';
import type { OrderChangeDeps } from '../renting/app/order-changes.js';
import { createOrders } from '../renting/app/orders.js';
import { createQuotes } from '../renting/app/quotes.js';
import { createRentedMacs } from '../renting/app/rented-macs.js';
import { createWaitlist } from '../renting/app/waitlist.js';
import { createOrderExpiry } from '../renting/workers/order-expiry.js';
import { createProvisioning } from '../renting/workers/provisioning.js';
import { createRentalStart } from '../renting/workers/rental-start.js';
import { createWaitlistWorker } from '../renting/workers/waitlist.js';

export interface ComposeRentingDeps extends OrderChangeDeps, NotifyDeps {
  readonly clock: Clock;
  readonly wake: Wake;
  readonly store: Store;
  /** For long polls. */
  readonly realClock: Clock;
  readonly limits: Limits;
}

export type RentingServices = ReturnType<typeof composeRenting>;

export function composeRenting(deps: ComposeRentingDeps) {
  const workers: readonly Worker[] = [
    createOrderExpiry(deps),
    createRentalStart(deps),
    createProvisioning(deps),
    createWaitlistWorker(deps),
  ];
  return {
    workers,
    quotes: createQuotes(deps),
    orders: createOrders(deps),
    extensions: createExtensions(deps),
    rentedMacs: createRentedMacs(deps),
    waitlist: createWaitlist(deps),
  };
}
