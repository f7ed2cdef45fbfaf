// GET /v1/orders and /v1/orders/:order_no of the operator API.
import { z } from 'zod';
import type { Organizations } from '../../access/app/organizations.js';
import { settlementShape, settlementView } from '../../payments/http/settlement-view.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, time, won } from '../../platform/http/values.js';
import { orderStatuses } from '../../renting/domain/order.js';
import type { ListedOrder, OperatorLists, OrderForOperators } from '../app/operator-lists.js';
import { organizationRef, organizationRefShape } from './fleet-view.js';
import { paymentShape, paymentView } from './unsettled-payment-view.js';

export interface OperatorOrderDeps {
  readonly lists: Pick<OperatorLists, 'orders' | 'order'>;
  readonly organizations: Pick<Organizations, 'find'>;
  readonly limits: Limits;
}

const orderFields = {
  order_no: z.string(),
  organization: organizationRefShape,
  kind: z.string(),
  status: z.enum(orderStatuses),
  tier: z.string().nullable(),
  hours: count,
  units: count,
  amount_won: won,
  refunded_won: won,
  created_at: time,
  paid_at: time.nullable(),
  ended_at: time.nullable(),
  end_reason: z.string().nullable(),
  rentals_start_at: time.nullable().meta({ description: 'While all its rentals are reserved' }),
  rentals_ended_at: time.nullable().meta({ description: 'Once all its rentals have ended' }),
  payment: z.string().nullable().meta({ description: 'Status of the payment; null: not begun' }),
};

const orderDetailShape = z
  .object({
    ...orderFields,
    provider: z.string().nullable(),
    method: z.string().nullable(),
    receipt_url: z.string().nullable(),
    rental_ids: z.array(z.string()),
    names: z.array(z.string()).meta({ description: 'Of these Macs, in the same order' }),
    refunds: z.array(paymentShape),
    settlements: z.array(settlementShape).meta({
      description:
        'Payments and refunds that operators have settled with the provider by hand, or still have to settle',
    }),
  })
  .meta({ id: 'OperatorOrderDetail' });

export function createOperatorOrderRoutes(deps: OperatorOrderDeps): AnyRoute[] {
  const { lists, organizations, limits } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/orders',
      operationId: 'listOrders',
      level: 'read',
      summary: 'Orders of all organizations, the newest first',
      query: z.object({
        ...pageParams(limits),
        status: z.enum(orderStatuses).optional(),
        org: z.string().optional().meta({ description: 'Id, slug or number of an organization' }),
      }),
      responses: {
        200: z
          .object({
            data: z.array(z.object(orderFields).meta({ id: 'OperatorOrder' })),
            next_cursor: nextCursor,
          })
          .meta({ id: 'OperatorOrderPage' }),
      },
      async handle({ query }) {
        const { limit = limits.list_limit_default, status = null, cursor = null, org } = query;
        const accountId = org === undefined ? null : (await organizations.find(org)).id;
        const found = await lists.orders({ accountId, status, before: cursor, limit: limit + 1 });
        const { page, next } = pageOf(found, limit, (one) => ({ at: one.createdAt, id: one.orderNo }));
        return { status: 200, body: { data: page.map(orderView), next_cursor: next } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/orders/:order_no',
      operationId: 'getOrder',
      level: 'read',
      summary: 'One order with its payment and refunds',
      params: z.object({ order_no: z.string() }),
      invalidParams: 'order_not_found',
      responses: { 200: orderDetailShape },
      errors: ['order_not_found'],
      async handle({ params }) {
        return { status: 200, body: orderDetailView(await lists.order(params.order_no)) };
      },
    }),
  ];
}

const orderView = (order: ListedOrder) => ({
  order_no: order.orderNo,
  organization: organizationRef(order.organization),
  kind: order.kind,
  status: order.status,
  tier: order.tier,
  hours: order.hours,
  units: order.units,
  amount_won: order.amountWon,
  refunded_won: order.refundedWon,
  created_at: isoTime(order.createdAt),
  paid_at: isoTime(order.paidAt),
  ended_at: isoTime(order.endedAt),
  end_reason: order.endReason,
  rentals_start_at: isoTime(order.rentalsStartAt),
  rentals_ended_at: isoTime(order.rentalsEndedAt),
  payment: order.payment,
});

const orderDetailView = (found: OrderForOperators) => ({
  ...orderView(found.order),
  provider: found.provider,
  method: found.method,
  receipt_url: found.receiptUrl,
  rental_ids: [...found.rentalIds],
  names: [...found.names],
  refunds: found.refunds.map(paymentView),
  settlements: found.settlements.map(settlementView),
});
