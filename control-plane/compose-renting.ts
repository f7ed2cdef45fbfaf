// Renting's part of the composition: quotes, orders, extensions, rented Macs, the waitlist, and how Macs come into being.
import type { Clock } from '../shared/clock.js';
import { createExtensions } from './app/extensions.js';
import type { NotifyDeps } from './app/notices.js';
import type { OrderChangeDeps } from './app/order-changes.js';
import { createOrders } from './app/orders.js';
import { createQuotes } from './app/quotes.js';
import { createRentedMacs } from './app/rented-macs.js';
import { createWaitlist } from './app/waitlist.js';
import type { Limits } from './domain/limits.js';
import type { Store } from './store/sql.js';
import type { Wake } from './wake.js';
import { createOrderExpiry } from './workers/order-expiry.js';
import { createProvisioning } from './workers/provisioning.js';
import { createRentalStart } from './workers/rental-start.js';
import { createWaitlistWorker } from './workers/waitlist.js';
import type { Worker } from './workers/worker.js';

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
