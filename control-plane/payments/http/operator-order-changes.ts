// Refunds and cancellations of orders by operators.
import { z } from 'zod';
import { usdText } from '../../platform/domain/usd-text.js';
import { operation } from '../../platform/http/operation.js';
import { won } from '../../platform/http/values.js';
import type { Order } from '../../renting/domain/order.js';
import { orderStatuses } from '../../renting/domain/order.js';
import type { OrderRefund, OrderRefunds } from '../app/order-refunds.js';
import { usdAmount } from './top-up-view.js';

interface Deps {
  readonly orderRefunds: OrderRefunds;
}

const order_no = z.string().meta({ description: 'Number of the order' });
const status = z.enum(orderStatuses);

const refundShape = z
  .object({
    order_no: z.string(),
    status,
    refunded_won: won.meta({ description: 'Refunded in all' }),
    orders: z.array(
      z.object({
        order_no: z.string(),
        kind: z.string(),
        action: z.string().meta({ description: 'refund, or cancel of an unpaid extension' }),
        refunded_won: won,
        returned_usd: usdAmount
          .nullable()
          .meta({ description: 'Refunded as credit; null: refunded to the payment method' }),
      }),
    ),
    ended_rental_ids: z.array(z.string()).meta({ description: 'Rentals that end' }),
    ended_names: z.array(z.string()).meta({ description: 'Names of their Macs, in the order of `ended_rental_ids`' }),
  })
  .meta({ id: 'OrderRefund' });

function refundView({ order, lines, endedRentalIds, endedNames }: OrderRefund): z.infer<typeof refundShape> {
  return {
    order_no: order.orderNo,
    status: order.status,
    refunded_won: lines.reduce((sum, line) => sum + line.amountWon, 0),
    orders: lines.map((line) => ({
      order_no: line.order.orderNo,
      kind: line.order.kind,
      action: line.action,
      refunded_won: line.amountWon,
      returned_usd: line.creditMicroUsd === null ? null : usdText(line.creditMicroUsd),
    })),
    ended_rental_ids: [...endedRentalIds],
    ended_names: [...endedNames],
  };
}

const subjectOf = ({ orderNo, accountId }: Order) => ({ target: orderNo, accountId });
const concerned = ['topups', 'ledger'] as const;

export const planRefund = operation<Deps>()({
  name: 'order.plan-refund',
  summary: 'Show what a refund would do; nothing is changed',
  input: z.object({ order_no }),
  output: refundShape,
  audit: null,
  confirm: false,
  access: 'console',
  errors: ['order_not_found', 'order_not_refundable'],
  run: async ({ orderRefunds }, { order_no }) => refundView(await orderRefunds.plan(order_no)),
});

export const refundOrder = operation<Deps>()({
  name: 'order.refund',
  summary: 'Refund an order and its extensions; its Macs end, and the time that it added is removed',
  input: z.object({
    order_no,
    expect_won: won.optional().meta({ description: 'Fails if the refund would be another amount' }),
  }),
  output: refundShape,
  audit: { name: 'order.refund', concerns: concerned },
  confirm: true,
  access: 'console',
  errors: ['order_not_found', 'order_not_refundable', 'invalid_request'],
  async run({ orderRefunds }, { order_no, expect_won }, { record, concerns }) {
    concerns({ target: order_no });
    return refundView(
      await orderRefunds.refund(
        order_no,
        expect_won,
        record<OrderRefund>(({ order }) => subjectOf(order)),
      ),
    );
  },
});

export const cancelOrder = operation<Deps>()({
  name: 'order.cancel',
  summary: 'Cancel an unpaid order; the slots that it holds become free',
  input: z.object({ order_no }),
  output: z.object({ order_no: z.string(), status }),
  audit: { name: 'order.cancel', concerns: concerned },
  confirm: false,
  access: 'console',
  errors: ['order_not_found', 'order_not_payable'],
  async run({ orderRefunds }, { order_no }, { record, concerns }) {
    concerns({ target: order_no });
    const { status } = await orderRefunds.cancel(order_no, record(subjectOf));
    return { order_no, status };
  },
});

export const orderOperations = [planRefund, refundOrder, cancelOrder];
