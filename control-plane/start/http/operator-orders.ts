// GET /v1/orders, /v1/orders/:order_no, /v1/waitlist and /v1/payments of the operator API.
import { z } from 'zod';
import type { Organizations } from '../../access/app/organizations.js';
import { isoTime } from '../../hosts/http/host-view.js';
import { settlementShape, settlementView } from '../../payments/http/settlement-view.js';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, time, won } from '../../platform/http/values.js';
import { orderStatuses } from '../../renting/domain/order.js';
import type {
  ListedEntry,
  ListedOrder,
  ListedPayment,
  OperatorLists,
  OrderForOperators,
} from '../app/operator-lists.js';
import { organizationRef, organizationRefShape } from './fleet-view.js';

export interface OperatorOrderDeps {
  readonly lists: Pick<OperatorLists, 'orders' | 'order' | 'waiting' | 'unsettled'>;
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
  payment: z.string().nullable().meta({ description: 'Status of the payment; null: not begun' }),
};

const paymentShape = z
  .object({
    kind: z.enum(['payment', 'refund']).meta({
      description: 'payment: the answer of the provider is missing or unexpected. refund: it is on its way, or refused',
    }),
    id: z.string(),
    of: z.enum(['order', 'top_up']).meta({ description: 'What is paid' }),
    order_no: z.string(),
    organization: organizationRefShape,
    provider: z.string(),
    status: z.string().meta({ description: 'over_returned: more was returned than was charged' }),
    amount_won: won.nullable().meta({ description: 'Null: the whole charge' }),
    returned_won: won,
    attempts: count,
    refusals: count.meta({ description: 'How often the provider has refused it' }),
    reason: z.string().nullable(),
    error: z.string().nullable(),
    created_at: time,
    next_attempt_at: time.nullable().meta({ description: 'Null: nothing more is tried' }),
  })
  .meta({ id: 'UnsettledPayment' });

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
      description: 'A payment or refund that operators have settled with the provider by hand, or still have to',
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
    ...listRoutes(deps),
  ];
}

function listRoutes({ lists, limits }: OperatorOrderDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/waitlist',
      operationId: 'listWaitlist',
      level: 'read',
      summary: 'Who waits for Macs, in the order in which they are served',
      query: z.object({ ...pageParams(limits), tier: z.string().optional() }),
      responses: {
        200: z
          .object({
            data: z.array(
              z
                .object({
                  id: z.string(),
                  organization: organizationRefShape,
                  tier: z.string(),
                  units: count,
                  status: z.enum(['waiting', 'notified']),
                  created_at: time,
                  notified_at: time.nullable(),
                })
                .meta({ id: 'OperatorWaitlistEntry' }),
            ),
            next_cursor: nextCursor,
          })
          .meta({ id: 'OperatorWaitlistPage' }),
      },
      async handle({ query }) {
        const { limit = limits.list_limit_default, cursor, tier = null } = query;
        const found = await lists.waiting({ tier, afterSeq: cursor?.at ?? 0, limit: limit + 1 });
        const { page, next } = pageOf(found, limit, ({ seq }) => ({ at: seq, id: 'w' }));
        return { status: 200, body: { data: page.map(entryView), next_cursor: next } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/payments',
      operationId: 'listPayments',
      level: 'read',
      summary: 'Payments and refunds that are not settled with the provider, the newest first',
      query: z.object(pageParams(limits)),
      responses: {
        200: z.object({ data: z.array(paymentShape), next_cursor: nextCursor }).meta({ id: 'UnsettledPaymentPage' }),
      },
      async handle({ query }) {
        const { limit = limits.list_limit_default, cursor = null } = query;
        const found = await lists.unsettled({ before: cursor, limit: limit + 1 });
        const { page, next } = pageOf(found, limit, (one) => ({ at: one.createdAt, id: one.id }));
        return { status: 200, body: { data: page.map(paymentView), next_cursor: next } };
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

const entryView = (entry: ListedEntry) => ({
  id: entry.entryId,
  organization: organizationRef(entry.organization),
  tier: entry.tier,
  units: entry.units,
  status: entry.status,
  created_at: isoTime(entry.createdAt),
  notified_at: isoTime(entry.notifiedAt),
});

const paymentView = (one: ListedPayment) => ({
  kind: one.kind,
  id: one.id,
  of: one.of,
  order_no: one.orderNo,
  provider: one.provider,
  status: one.status,
  organization: organizationRef(one.organization),
  amount_won: one.amountWon,
  returned_won: one.returnedWon,
  attempts: one.attempts,
  refusals: one.refusals,
  reason: one.reason,
  error: one.error,
  created_at: isoTime(one.createdAt),
  next_attempt_at: isoTime(one.nextAttemptAt),
});
