// What has happened with an order, and what happens next. Pure.
import type { Order, Payment } from '../../../../client/types.js';

export type StepState = 'done' | 'now' | 'later';
export type StepName = 'paid' | 'begins' | 'longer' | 'preparing' | 'ready' | 'ended';

export interface Step {
  readonly name: StepName;
  readonly state: StepState;
}

/** The status, and what `ready` and `paid` do not say: whether the rentals are still to begin, have ended or were refunded. */
export type OrderPhase = Order['status'] | 'reserved' | 'ended' | 'refunded';

/** An order, as its customer or as operators get it. */
export type Phased = Pick<Order, 'status' | 'rentals_start_at' | 'rentals_ended_at'> & {
  readonly kind: string;
  readonly end_reason: string | null;
};

/**
 * Returns how an order is now: `ready` is its last status, even after its rentals have ended.
 *
 * @example phaseOf(order) // 'ended', if the status is ready
 */
export function phaseOf({ status, kind, end_reason, rentals_start_at, rentals_ended_at }: Phased): OrderPhase {
  switch (status) {
    case 'ready':
      if (end_reason !== null) return 'refunded';
      return rentals_ended_at === null ? 'ready' : 'ended';
    case 'paid':
    case 'provisioning':
      return kind === 'rental' && rentals_start_at !== null ? 'reserved' : status;
    default:
      return status;
  }
}

/** Returns whether nothing more happens with the order. */
export const isPast = (phase: OrderPhase): boolean =>
  !['awaiting_payment', 'paid', 'reserved', 'provisioning'].includes(phase);

const rentalSteps: Readonly<Partial<Record<OrderPhase, readonly StepName[]>>> = {
  reserved: ['paid', 'begins', 'preparing', 'ready'],
  ended: ['paid', 'preparing', 'ended'],
};
const extensionSteps: Readonly<Partial<Record<OrderPhase, readonly StepName[]>>> = {
  ended: ['paid', 'longer', 'ended'],
};

/**
 * The steps of an order that is paid or being paid; none when it has expired, was canceled or was refunded.
 *
 * @example stepsOf({ kind: 'extension' }, 'ready') // paid and longer, both done
 */
export function stepsOf({ kind }: Pick<Order, 'kind'>, phase: OrderPhase): Step[] {
  if (phase === 'expired' || phase === 'canceled' || phase === 'refunded') return [];
  const names: readonly StepName[] =
    kind === 'extension'
      ? (extensionSteps[phase] ?? ['paid', 'longer'])
      : (rentalSteps[phase] ?? ['paid', 'preparing', 'ready']);
  const done = phase === 'awaiting_payment' ? 0 : isPast(phase) ? names.length : 1;
  return names.map((name, at) => ({ name, state: at < done ? 'done' : at === done ? 'now' : 'later' }));
}

/** Statuses of a payment that arrived too late or was invalid: it is refunded. */
const goesBack: ReadonlySet<string> = new Set(['late', 'failed', 'cancelled']);

export type OrderNote =
  | 'confirming'
  | 'ready'
  | 'ended'
  | 'extended'
  | 'refunded'
  | 'expired'
  | 'noCapacity'
  | 'canceled'
  | 'begins'
  | 'mayClose';

/** What to say about an order below its steps. `money`: whether something was charged, where that is to be said. */
export function noteOf(
  order: Phased,
  payment: Pick<Payment, 'status'> | null,
  confirming: boolean,
): { readonly note: OrderNote; readonly money: 'back' | 'none' | null } {
  if (confirming) return { note: 'confirming', money: null };
  const charged = goesBack.has(payment?.status ?? '') ? 'back' : 'none';
  switch (phaseOf(order)) {
    case 'refunded':
      return { note: 'refunded', money: 'back' };
    case 'ready':
      return { note: order.kind === 'extension' ? 'extended' : 'ready', money: null };
    case 'ended':
      return { note: 'ended', money: null };
    case 'expired':
      return { note: 'expired', money: charged };
    case 'canceled':
      if (order.end_reason === 'no_capacity') return { note: 'noCapacity', money: 'back' };
      if (order.end_reason === 'refunded_by_operator') return { note: 'refunded', money: 'back' };
      return { note: 'canceled', money: charged };
    case 'reserved':
      return { note: 'begins', money: null };
    default:
      return { note: 'mayClose', money: null };
  }
}
