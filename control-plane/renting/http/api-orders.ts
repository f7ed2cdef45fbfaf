// POST and GET /orders, GET /orders/:order_no, wait.
import { z } from 'zod';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import type { Limits } from '../../platform/domain/limits.js';
import { beforeParam, integerParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { OrderRequest, Orders } from '../app/orders.js';
import { orderBody, startOf } from './api-quote.js';
import { orderListShape, orderShape, orderStatus, orderView } from './order-view.js';

export interface OrderRoutesDeps {
  readonly orders: Orders;
  readonly limits: Limits;
  readonly site: SiteAddresses;
}

export function createOrderRoutes({ orders, limits, site }: OrderRoutesDeps): AnyRoute[] {
  const one = {
    params: z.object({ order_no: z.string() }),
    invalidParams: 'order_not_found',
    responses: { 200: orderShape },
    errors: ['order_not_found'],
  } as const;

  return [
    route({
      method: 'POST',
      path: '/orders',
      operationId: 'createOrder',
      level: 'manage',
      action: { name: 'order.create', made: 'order_no', concerns: ['topups', 'ledger'] },
      summary: 'Order Macs; a person opens pay_url, consents and pays',
      body: orderBody(limits),
      invalidBody: 'invalid_order',
      idempotent: true,
      responses: { 201: orderShape },
      errors: [
        'account_blocked',
        'invalid_name',
        'name_taken',
        'invalid_tier',
        'invalid_period',
        'invalid_start',
        'xcode_not_available',
        'sales_closed',
        'too_many_pending_orders',
        'no_capacity',
      ],
      async handle({ caller, body, recordReply }) {
        const { tier, hours, units = 1, names = [] } = body;
        const startAt = startOf(body.start);
        const request: OrderRequest = { tier, hours, units, names, startAt, xcode: body.setup?.xcode ?? null };
        const reply = (order: Parameters<typeof orderView>[0]) => ({
          status: 201,
          body: orderView(order, site),
        });
        return reply(await orders.create(caller, request, recordReply(reply)));
      },
    }),
    route({
      method: 'GET',
      path: '/orders',
      operationId: 'listOrders',
      level: 'read',
      summary: 'Orders, newest first',
      query: z.object({
        status: orderStatus.optional(),
        before: beforeParam.optional(),
        limit: integerParam(1, limits.list_limit_max).optional(),
      }),
      responses: { 200: orderListShape },
      async handle({ caller, query }) {
        const { status = null, before = null, limit = limits.list_limit_default } = query;
        const page = await orders.list(caller.account.id, { status, before, limit });
        const body = {
          orders: page.orders.map((order) => orderView(order, site)),
          next_before: page.nextBefore,
        };
        return { status: 200, body };
      },
    }),
    route({
      ...one,
      method: 'GET',
      path: '/orders/:order_no',
      operationId: 'getOrder',
      level: 'read',
      summary: 'One order',
      async handle({ caller, params }) {
        return { status: 200, body: orderView(await orders.get(caller.account.id, params.order_no), site) };
      },
    }),
    route({
      ...one,
      method: 'GET',
      path: '/orders/:order_no/wait',
      operationId: 'waitForOrder',
      level: 'read',
      summary:
        'Wait for a change of an order. Answers when its status changes, or when it is ready, expired or canceled.',
      parks: () => true,
      query: z.object({ timeout: integerParam(1, limits.long_poll_s).optional() }),
      invalidQueryField: { timeout: 'invalid_timeout' },
      async handle({ caller, params, query, signal }) {
        const ms = (query.timeout ?? limits.long_poll_s) * 1000;
        const order = await orders.wait(caller.account.id, params.order_no, ms, signal);
        return { status: 200, body: orderView(order, site) };
      },
    }),
  ];
}
