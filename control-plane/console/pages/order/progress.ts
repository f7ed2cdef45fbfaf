// What has happened with an order, and what happens next. Pure.
import type { Order, Payment } from '../../../../client/types.js';

export type StepState = 'done' | 'now' | 'later';
export type StepName = 'paid' | 'longer' | 'preparing' | 'ready';

export interface Step {
  readonly name: StepName;
  readonly state: StepState;
}

const reached: Readonly<Record<Order['status'], number>> = {
  awaiting_payment: 0,
  paid: 1,
  provisioning: 1,
  ready: Number.POSITIVE_INFINITY,
  expired: 0,
  canceled: 0,
};

export const hasEnded = ({ status }: Pick<Order, 'status'>): boolean => status === 'expired' || status === 'canceled';

/**
 * The steps of an order that is paid or being paid; none when it has expired or was canceled.
 *
 * @example stepsOf({ kind: 'extension', status: 'ready' }) // paid and longer, both done
 */
export function stepsOf({ kind, status }: Pick<Order, 'kind' | 'status'>): Step[] {
  if (status === 'expired' || status === 'canceled') return [];
  const names: StepName[] = kind === 'extension' ? ['paid', 'longer'] : ['paid', 'preparing', 'ready'];
  const done = reached[status];
  return names.map((name, at) => ({ name, state: at < done ? 'done' : at === done ? 'now' : 'later' }));
}

/** Statuses of a payment that arrived too late or was invalid: it is refunded. */
const goesBack: ReadonlySet<string> = new Set(['late', 'failed', 'cancelled']);

export type OrderNote =
  | 'confirming'
  | 'ready'
  | 'extended'
  | 'refunded'
  | 'expired'
  | 'noCapacity'
  | 'canceled'
  | 'begins'
  | 'mayClose';

/** What to say about an order below its steps. `money`: whether something was charged, where that is to be said. */
export function noteOf(
  order: Pick<Order, 'status' | 'kind' | 'start' | 'end_reason'>,
  payment: Pick<Payment, 'status'> | null,
  confirming: boolean,
): { readonly note: OrderNote; readonly money: 'back' | 'none' | null } {
  if (confirming) return { note: 'confirming', money: null };
  const charged = goesBack.has(payment?.status ?? '') ? 'back' : 'none';
  switch (order.status) {
    case 'ready':
      if (order.end_reason === 'refunded_by_operator') return { note: 'refunded', money: 'back' };
      return { note: order.kind === 'extension' ? 'extended' : 'ready', money: null };
    case 'expired':
      return { note: 'expired', money: charged };
    case 'canceled':
      if (order.end_reason === 'no_capacity') return { note: 'noCapacity', money: 'back' };
      if (order.end_reason === 'refunded_by_operator') return { note: 'refunded', money: 'back' };
      return { note: 'canceled', money: charged };
    default:
      return { note: order.start !== 'now' && order.kind === 'rental' ? 'begins' : 'mayClose', money: null };
  }
}
