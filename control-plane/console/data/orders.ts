import { createOrder, extendRentals, listOrders } from '../../../client/operations/api.js';
import type { Order, OrderStatus } from '../../../client/types.js';
import { call, send } from './api.js';
import { type RequestKey, useRequestKey } from './idempotency.js';
import { useMutation } from './mutation.js';
import { inPlace, type Place } from './place.js';
import { forget, pagesBefore } from './queries.js';

const PAGE = 30;

export const ordersQuery = (org: Place, status: OrderStatus | null) =>
  pagesBefore([org.id, 'orders', status], (before) => call(inPlace(org, listOrders), { status, limit: PAGE, before }));

export interface OrderWanted {
  readonly tier: string;
  readonly hours: number;
  readonly units: number;
  /** `now`, or an ISO time. */
  readonly start: string;
  readonly xcode: string | null;
  /** As many as units, or none. */
  readonly names: readonly string[];
}

/** Places an order and goes to its payment. A repeated attempt after a lost answer gets the same order. */
export function usePlaceOrder(org: Place) {
  const key = useRequestKey();
  const goToPayment = useGoToPayment(org, key);
  return useMutation({
    mutationFn({ xcode, names, ...wanted }: OrderWanted) {
      const body = {
        ...wanted,
        ...(names.length > 0 ? { names: [...names] } : {}),
        ...(xcode === null ? {} : { setup: { xcode } }),
      };
      return send(call(inPlace(org, createOrder), body), { headers: key.headers(body) });
    },
    onSuccess: goToPayment,
  });
}

/** Orders more time for Macs and goes to the payment. A repeated attempt after a lost answer gets the same order. */
export function useExtend(org: Place) {
  const key = useRequestKey();
  const goToPayment = useGoToPayment(org, key);
  return useMutation({
    mutationFn({ rentalIds, hours }: { rentalIds: readonly string[]; hours: number }) {
      const body = { rental_ids: [...rentalIds], hours };
      return send(call(inPlace(org, extendRentals), body), { headers: key.headers(body) });
    },
    onSuccess: goToPayment,
  });
}

/**
 * Goes to the payment of a new order. The page has a content security policy of its own, so that it is loaded from the
 * service.
 */
function useGoToPayment(org: Place, key: RequestKey) {
  return ({ order_no }: Order) => {
    key.done();
    location.assign(`/pay/${encodeURIComponent(order_no)}`);
    void forget(org.id, 'orders', 'order', 'catalog', 'macs', 'mac', 'status');
  };
}
