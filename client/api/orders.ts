import { methodsOf, withNamed } from '../http/call-operation.js';
import type { CallOptions, Wire } from '../http/exchange.js';
import { createOrder, getOrder, listOrders, quote, waitForOrder } from '../operations/api.js';
import type { MethodsOf } from '../operations/operation.js';
import type { Order, OrderStatus } from '../types.js';
import { LONGEST_WAIT_S, type LongestWait } from './longest-wait.js';

const operations = {
  /** The price of Macs; reserves nothing. */
  quote,
  /**
   * Orders Macs. They are reserved until the pay link expires.
   *
   * @example
   * const order = await client.orders.create({ tier: 'm4', hours: 48 });
   * console.log(`Please pay: ${order.pay_url}`);
   * const { status, rental_ids } = await client.orders.waitUntilSettled(order.order_no);
   */
  create: createOrder,
  /** One page, newest first; pass `next_before` as `before` for the next one. */
  list: listOrders,
  get: getOrder,
  /** Waits up to `timeoutS` seconds (1 to 60) for another status and returns the order. */
  wait: withNamed(waitForOrder, (orderNo: string, { timeoutS = LONGEST_WAIT_S }: LongestWait) => [
    orderNo,
    { timeout: timeoutS },
  ]),
};

/** Quotes and orders. An order is paid by a person at its `pay_url`; a program can only ask for it and wait. */
export interface OrdersApi extends MethodsOf<typeof operations, CallOptions> {
  /** Waits until the order is ready, expired or canceled, however long it takes. */
  waitUntilSettled(orderNo: string, options?: CallOptions): Promise<Order>;
}

/** True for a status that an order never leaves. */
export function isSettled(order: { status: OrderStatus }): boolean {
  return order.status === 'ready' || order.status === 'expired' || order.status === 'canceled';
}

export function ordersApi(wire: Wire): OrdersApi {
  const methods = methodsOf(wire, operations);
  return {
    ...methods,
    async waitUntilSettled(orderNo, options) {
      for (;;) {
        const order = await methods.wait(orderNo, options);
        if (isSettled(order)) return order;
      }
    },
  };
}
