import { type CallOptions, fetchJson, type Wire } from '../http/exchange.js';
import type { Order, OrderFilter, OrderPage, OrderRequest, OrderStatus, Quote } from '../types.js';

/** The longest wait of one request, in seconds. */
const LONGEST_WAIT_S = 60;

/** Quotes and orders. An order is paid by a person at its `pay_url`; a program can only ask for it and wait. */
export interface OrdersApi {
  /** The price of Macs; reserves nothing. */
  quote(request: OrderRequest, options?: CallOptions): Promise<Quote>;
  /**
   * Orders Macs. They are reserved until the pay link expires.
   *
   * @example
   * const order = await client.orders.create({ tier: 'm4', hours: 48 });
   * console.log(`Please pay: ${order.pay_url}`);
   * const { status, rental_ids } = await client.orders.waitUntilSettled(order.order_no);
   */
  create(request: OrderRequest, options?: CallOptions): Promise<Order>;
  /** One page, newest first; pass `next_before` as `before` for the next one. */
  list(filter?: OrderFilter, options?: CallOptions): Promise<OrderPage>;
  get(orderNo: string, options?: CallOptions): Promise<Order>;
  /** Waits up to `timeoutS` seconds (1 to 60) for another status and returns the order. */
  wait(orderNo: string, options?: CallOptions & { timeoutS?: number }): Promise<Order>;
  /** Waits until the order is ready, expired or canceled, however long it takes. */
  waitUntilSettled(orderNo: string, options?: CallOptions): Promise<Order>;
}

/** True for a status that an order never leaves. */
export function isSettled(order: { status: OrderStatus }): boolean {
  return order.status === 'ready' || order.status === 'expired' || order.status === 'canceled';
}

export function ordersApi(wire: Wire): OrdersApi {
  const pathOf = (orderNo: string, rest = '') => `/orders/${encodeURIComponent(orderNo)}${rest}`;
  const wait: OrdersApi['wait'] = (orderNo, options) => {
    const timeout = options?.timeoutS ?? LONGEST_WAIT_S;
    return fetchJson(wire, {
      method: 'GET',
      path: pathOf(orderNo, '/wait'),
      query: { timeout },
      holdMs: timeout * 1000,
      options,
    });
  };
  return {
    quote: (request, options) => fetchJson(wire, { method: 'POST', path: '/quote', json: request, options }),
    create: (request, options) => fetchJson(wire, { method: 'POST', path: '/orders', json: request, options }),
    list: (filter, options) => fetchJson(wire, { method: 'GET', path: '/orders', query: { ...filter }, options }),
    get: (orderNo, options) => fetchJson(wire, { method: 'GET', path: pathOf(orderNo), options }),
    wait,
    async waitUntilSettled(orderNo, options) {
      for (;;) {
        const order = await wait(orderNo, options);
        if (isSettled(order)) return order;
      }
    },
  };
}
