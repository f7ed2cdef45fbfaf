// The payment of an order, or a top-up, by a person: reading it with the text to agree to, paying, confirming, canceling.
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { getOrder } from '../../../client/operations/api.js';
import {
  cancelOrder,
  confirmOrder,
  getOrderToPay,
  payOrder,
  payOrderWithCredit,
} from '../../../client/operations/console.js';
import type { ArgumentsOf } from '../../../client/operations/operation.js';
import type { Order, OrderPayment, Payment, PayPage, Session } from '../../../client/types.js';
import { type Call, call, send } from './api.js';
import { Failure } from './failure.js';
import { useMutation } from './mutation.js';
import { inPlace } from './place.js';

export type Organization = Session['organizations'][number];
export type PayState = Pick<PayPage, 'payment' | 'provider' | 'consent'> &
  Partial<Pick<PayPage, 'credit' | 'credit_payment' | 'seller'>>;

export interface PayableOrder {
  readonly organization: Organization;
  readonly order: Order;
  /** Null if the person may see the order but not pay it. */
  readonly pay: PayState | null;
}

/** Developers get the order as API programs do; only owners and admins can pay. */
async function orderIn(organization: Organization, orderNo: string, signal: AbortSignal): Promise<PayableOrder> {
  const { id, role } = organization;
  if (role === 'developer') {
    const order = await send(call(inPlace({ id, workspace: null }, getOrder), orderNo), { signal });
    return { organization, order, pay: null };
  }
  const { order, ...pay } = await send(call(getOrderToPay, id, orderNo), { signal });
  return { organization, order, pay };
}

/** One organization's order. The live stream says when it changes. */
export const orderQuery = (organization: Organization, orderNo: string) =>
  queryOptions({
    queryKey: [organization.id, 'order', orderNo],
    queryFn: ({ signal }) => orderIn(organization, orderNo, signal),
  });

export const isMissing = (error: unknown) => error instanceof Failure && error.status === 404;

const POLL_MS = 2_000;
const SLOW_POLL_MS = 15_000;

const final: readonly Order['status'][] = ['ready', 'expired', 'canceled'];

/** True while the provider has not said how the payment went. */
export const isConfirming = ({ order, pay }: PayableOrder): boolean =>
  order.status === 'awaiting_payment' && pay?.payment?.status === 'confirming';

/**
 * The order in the organization of the person that has it; null if none has. It is read again until its status is
 * final, because the page may be the only one that is open.
 */
export const payableOrderQuery = (organizations: readonly Organization[], orderNo: string) =>
  queryOptions({
    queryKey: ['pay', orderNo, organizations.map(({ id }) => id)],
    async queryFn({ signal }): Promise<PayableOrder | null> {
      for (const organization of organizations) {
        try {
          return await orderIn(organization, orderNo, signal);
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
      }
      return null;
    },
    staleTime: 0,
    refetchInterval({ state: { data } }) {
      if (!data || final.includes(data.order.status)) return false;
      return data.order.status !== 'awaiting_payment' || isConfirming(data) ? POLL_MS : SLOW_POLL_MS;
    },
  });

/** What a step led to. */
export interface PaymentProgress {
  /** It can still be paid. */
  readonly open: boolean;
  readonly payment: Payment | null;
}

type PayBody = ArgumentsOf<typeof payOrder>[2];
export type PayInput = Pick<PayBody, 'method' | 'outcome'>;

/** A step of a payment at a provider. */
export type ProviderAct =
  | { readonly path: 'pay'; readonly input: PayInput }
  | { readonly path: 'confirm'; readonly proof: { payment_token?: string; tx_id?: string } }
  | { readonly path: 'cancel' };

/** A step of a payment; orders only can be paid with credit. */
export type PaymentAct = ProviderAct | { readonly path: 'pay-with-credit'; readonly priceMicroUsd: number };

/** Sends pay, confirm or cancel. The page shows the state of the answer at once. */
export function usePaymentStep(orderNo: string) {
  const client = useQueryClient();
  return useMutation({
    async mutationFn({ found, act }: { found: PayableOrder; act: PaymentAct }) {
      await client.cancelQueries({ queryKey: ['pay', orderNo] });
      return send(stepOf(found, orderNo, act));
    },
    onSuccess(answer, { found }) {
      const next: PayableOrder = {
        ...found,
        order: answer.order,
        pay: found.pay && { ...found.pay, payment: answer.payment, credit_payment: answer.credit_payment },
      };
      client.setQueriesData({ queryKey: ['pay', orderNo] }, next);
    },
    // The price in credit, or the credit, may be another one now.
    onError: (_, { act }) =>
      act.path === 'pay-with-credit' ? client.invalidateQueries({ queryKey: ['pay', orderNo] }) : undefined,
  });
}

function stepOf({ organization: { id }, pay }: PayableOrder, orderNo: string, act: PaymentAct): Call<OrderPayment> {
  if (act.path === 'cancel') return call(cancelOrder, id, orderNo);
  if (act.path === 'confirm') return call(confirmOrder, id, orderNo, act.proof);
  if (act.path === 'pay') return call(payOrder, id, orderNo, { ...agreementTo(pay), ...act.input });
  return call(payOrderWithCredit, id, orderNo, { ...agreementTo(pay), price_micro_usd: act.priceMicroUsd });
}

/** The payer has agreed to the text that the page shows. */
export function agreementTo(pay: PayState | null): { consents: NonNullable<PayBody['consents']> } {
  const version = pay?.consent.version;
  return { consents: { terms: true, withdrawal: true, ...(version === undefined ? {} : { version }) } };
}
