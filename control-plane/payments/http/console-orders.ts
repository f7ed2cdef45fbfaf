// Endpoints of the pay page: GET /v1/organizations/:org_id/orders/:order_no, POST …/pay, …/pay-with-credit, …/confirm, …/cancel.
import { z } from 'zod';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import { type AnyRoute, type RouteReply, route } from '../../platform/http/route.js';
import { orderShape, orderView } from '../../renting/http/order-view.js';
import type { CreditPayments } from '../app/credit-payments.js';
import type { PaymentState } from '../app/payment-state.js';
import type { Payments } from '../app/payments.js';
import { paymentProviders } from '../domain/payment.js';
import { creditOfferShape, creditOfferView, creditPaymentShape, creditPaymentView } from './credit-payment-view.js';
import {
  agreementOf,
  confirmBody,
  consentsBody,
  payBody,
  payers,
  payInput,
  proofOf,
  refusals,
} from './payment-bodies.js';
import { consentShape, consentView, paymentShape, paymentView, sellerShape } from './payment-view.js';

export interface OrderPaymentRoutesDeps {
  readonly payments: Payments<PaymentState>;
  readonly creditPayments: CreditPayments;
  readonly site: SiteAddresses;
  /** Who sells, as on receipts; null: not set. */
  readonly seller: string | null;
}

const PATH = '/v1/organizations/:org_id/orders/:order_no';
const params = z.object({ org_id: z.string(), order_no: z.string() });
const inConsole = { consoleOnly: true, roles: payers, params } as const;

const withPayment = {
  order: orderShape,
  payment: paymentShape.nullable(),
  credit_payment: creditPaymentShape.nullable().meta({ description: 'Null: not paid with credit' }),
};
const paid = z.object(withPayment).meta({ id: 'OrderPayment' });

const creditBody = z.object({
  consents: consentsBody,
  price_micro_usd: z.int().min(1).meta({ description: 'The price that was shown' }),
});

export function createOrderPaymentRoutes({
  payments,
  creditPayments,
  site,
  seller,
}: OrderPaymentRoutesDeps): AnyRoute[] {
  const view = (state: PaymentState) => ({
    order: orderView(state, site),
    payment: paymentView(state),
    credit_payment: creditPaymentView(state.creditPayment),
  });
  const reply = (state: PaymentState): RouteReply => ({ status: 200, body: view(state) });

  return [
    route({
      ...inConsole,
      method: 'GET',
      path: PATH,
      operationId: 'getOrderToPay',
      level: 'manage',
      summary: 'An order as shown to its payer, with the text to agree to',
      responses: {
        200: z
          .object({
            ...withPayment,
            provider: z.enum(paymentProviders),
            consent: consentShape,
            seller: sellerShape,
            credit: creditOfferShape.nullable().meta({
              description: 'Price in credit; null: it cannot be paid now, costs nothing, or there is no rate',
            }),
          })
          .meta({ id: 'PayPage' }),
      },
      errors: ['not_found'],
      async handle({ caller, params }) {
        const state = await payments.read(caller, params.order_no);
        const offer = await creditPayments.offer(state);
        return {
          status: 200,
          body: {
            ...view(state),
            provider: payments.provider,
            consent: consentView(payments.consentText),
            seller,
            credit: offer && creditOfferView(offer),
          },
        };
      },
    }),
    route({
      ...inConsole,
      method: 'POST',
      path: `${PATH}/pay`,
      operationId: 'payOrder',
      level: 'manage',
      action: { name: 'order.pay', concerns: ['topups', 'ledger'] },
      confirm: true,
      beyondRecordsLimit: 'pays',
      summary: 'Agree and pay; with PortOne the response carries the parameters of its browser script',
      body: payBody,
      responses: { 200: paid },
      errors: [...refusals, 'consent_required', 'xcode_not_available'],
      async handle({ caller, params, body, recordAction }) {
        return reply(await payments.pay(caller, params.order_no, payInput(body), recordAction()));
      },
    }),
    route({
      ...inConsole,
      method: 'POST',
      path: `${PATH}/pay-with-credit`,
      operationId: 'payOrderWithCredit',
      level: 'manage',
      action: { name: 'order.pay_with_credit', concerns: ['topups', 'ledger'] },
      confirm: true,
      beyondRecordsLimit: 'pays',
      summary: 'Agree and pay the whole order with the credit of the organization',
      body: creditBody,
      responses: { 200: paid },
      errors: [...refusals, 'consent_required', 'xcode_not_available', 'insufficient_credit', 'fx_unavailable'],
      async handle({ caller, params, body, recordAction }) {
        const { consents, price_micro_usd: priceMicroUsd } = body;
        const input = { ...agreementOf(consents), priceMicroUsd };
        return reply(await creditPayments.pay(caller, params.order_no, input, recordAction()));
      },
    }),
    route({
      ...inConsole,
      method: 'POST',
      path: `${PATH}/confirm`,
      operationId: 'confirmOrder',
      level: 'manage',
      action: { name: 'order.confirm', concerns: ['topups', 'ledger'] },
      beyondRecordsLimit: 'pays',
      summary: 'Confirm after the browser step; idempotent',
      body: confirmBody,
      responses: { 200: paid },
      errors: [...refusals, 'consent_required', 'xcode_not_available'],
      async handle({ caller, params, body, recordAction }) {
        return reply(await payments.confirm(caller, params.order_no, proofOf(body), recordAction()));
      },
    }),
    route({
      ...inConsole,
      method: 'POST',
      path: `${PATH}/cancel`,
      operationId: 'cancelOrder',
      level: 'manage',
      action: { name: 'order.cancel', concerns: ['topups', 'ledger'] },
      beyondRecordsLimit: 'frees',
      summary: 'Cancel an unpaid order',
      responses: { 200: paid },
      errors: ['not_found', 'order_expired', 'order_not_payable', 'payment_unavailable'],
      async handle({ caller, params, recordAction }) {
        return reply(await payments.cancel(caller, params.order_no, recordAction()));
      },
    }),
  ];
}
