// The part of the client that builds do not need: renting and changing Macs, webhooks.
import { type JobsApi, jobsApi } from './api/jobs.js';
import { type MaintenanceApi, maintenanceApi } from './api/maintenance.js';
import { type OrdersApi, ordersApi } from './api/orders.js';
import { type RentalsApi, rentalsApi } from './api/rentals.js';
import { type WaitlistApi, waitlistApi } from './api/waitlist.js';
import { type WebhooksApi, webhooksApi } from './api/webhooks.js';
import type { Wire } from './http/exchange.js';

export interface RentingClient {
  readonly orders: OrdersApi;
  readonly rentals: RentalsApi;
  readonly maintenance: MaintenanceApi;
  readonly jobs: JobsApi;
  readonly waitlist: WaitlistApi;
  readonly webhooks: WebhooksApi;
}

export function rentingClient(wire: Wire): RentingClient {
  return {
    orders: ordersApi(wire),
    rentals: rentalsApi(wire),
    maintenance: maintenanceApi(wire),
    jobs: jobsApi(wire),
    waitlist: waitlistApi(wire),
    webhooks: webhooksApi(wire),
  };
}
