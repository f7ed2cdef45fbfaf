// What operators settle with the payment provider by hand.
import { z } from 'zod';
import { operation } from '../../platform/http/operation.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { ManualSettlements } from '../app/manual-settlements.js';
import type { ManualSettlement } from '../domain/manual-settlement.js';
import { settlementKinds, settlementShape, settlementView } from './settlement-view.js';

interface Deps {
  readonly manualSettlements: ManualSettlements;
}

export function createSettlementRoutes({ manualSettlements }: Deps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/settlements',
      operationId: 'listSettlements',
      level: 'read',
      summary: 'Payments and refunds that an operator has to settle with the provider by hand; at most 200',
      query: z.object({
        all: z.enum(['true']).optional().meta({ description: 'Include settled ones; the newest first' }),
      }),
      responses: {
        200: z
          .object({
            payments: z.array(settlementShape.extend({ order_no: z.string() }).meta({ id: 'ListedSettlement' })),
          })
          .meta({ id: 'Settlements' }),
      },
      async handle({ query }) {
        const found = await (query.all ? manualSettlements.all() : manualSettlements.open());
        const payments = found.map((one) => ({ ...settlementView(one), order_no: one.orderNo }));
        return { status: 200, body: { payments } };
      },
    }),
  ];
}

export const settlePayment = operation<Deps>()({
  name: 'payment.settle',
  summary: 'Mark a payment or a refused refund as settled with the provider',
  input: z.object({
    id: z.string().meta({ description: 'Order number of the payment, or id of the refund' }),
    note: z.string().trim().min(1).max(500).meta({ description: 'How it was settled' }),
  }),
  output: z.object({ id: z.string(), kind: z.enum(settlementKinds), order_no: z.string(), note: z.string() }),
  audit: { name: 'payment.settle', concerns: [] },
  confirm: true,
  access: 'console',
  errors: ['order_not_found', 'invalid_request'],
  async run({ manualSettlements }, { id, note }, { by, record, concerns }) {
    concerns({ target: id });
    const { orderNo, kind } = await manualSettlements.settle(
      id,
      by,
      note,
      record<ManualSettlement>(({ orderNo, accountId }) => ({ target: orderNo, accountId })),
    );
    return { id, kind, order_no: orderNo, note };
  },
});

export const settlementOperations = [settlePayment];
