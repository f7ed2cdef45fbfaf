// An order: what a program asks for and a person pays. Money is integer won, VAT included; times are ms.

export const orderStatuses = [
  'awaiting_payment',
  'paid',
  'provisioning',
  'ready',
  'expired',
  'canceled',
] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** fulfil: an extension, which is ready as soon as it is paid. provision: work on the order's Macs has begun. */
export type OrderEvent = 'pay' | 'fulfil' | 'provision' | 'ready' | 'expire' | 'cancel';

const nowhere: Readonly<Record<OrderEvent, null>> = {
  pay: null,
  fulfil: null,
  provision: null,
  ready: null,
  expire: null,
  cancel: null,
};

/** Where each event leads from each status; null: it cannot happen there. */
export const orderTransitions: Readonly<
  Record<OrderStatus, Readonly<Record<OrderEvent, OrderStatus | null>>>
> = {
  awaiting_payment: { ...nowhere, pay: 'paid', expire: 'expired', cancel: 'canceled' },
  // cancel: no Mac can be given; the money goes back.
  paid: { ...nowhere, fulfil: 'ready', provision: 'provisioning', cancel: 'canceled' },
  provisioning: { ...nowhere, ready: 'ready', cancel: 'canceled' },
  ready: nowhere,
  expired: nowhere,
  canceled: nowhere,
};

/** Nothing more happens to an order that is ready, expired or canceled. */
export function hasSettled(status: OrderStatus): boolean {
  return status === 'ready' || status === 'expired' || status === 'canceled';
}

export const orderKinds = ['rental', 'extension'] as const;
export type OrderKind = (typeof orderKinds)[number];

/** One Mac of an extension. */
export interface ExtensionItem {
  readonly rentalId: string;
  readonly tier: string;
  readonly amountWon: number;
  /** Its money has gone back, and its time was taken off. */
  readonly refunded: boolean;
}

export interface Order {
  readonly orderNo: string;
  readonly accountId: number;
  /** The API key that ordered; null: a person in the console. */
  readonly keyId: string | null;
  readonly kind: OrderKind;
  readonly status: OrderStatus;
  /** Null for an extension of Macs of several tiers. */
  readonly tier: string | null;
  /** Of each Mac. */
  readonly hours: number;
  readonly units: number;
  readonly amountWon: number;
  /** Null: as soon as it is paid. */
  readonly startAt: number | null;
  readonly setup: { readonly xcode: string | null };
  /** Macs that an extension extends; empty for a rental order. */
  readonly items: readonly ExtensionItem[];
  readonly payExpiresAt: number;
  readonly paidAt: number | null;
  readonly endedAt: number | null;
  readonly endReason: 'expired' | 'canceled_by_person' | 'no_capacity' | 'refunded_by_operator' | null;
  /** Of `amountWon`: what goes back to the payer. */
  readonly refundedWon: number;
  /** When that was decided last. */
  readonly refundedAt: number | null;
  readonly createdAt: number;
}
