// An order: requested by a program, paid by a person. Money is integer won, VAT included; times are ms.
import { int, json, type RecordOf, strings, text } from '../../platform/domain/fields.js';

export const orderStatuses = ['awaiting_payment', 'paid', 'provisioning', 'ready', 'expired', 'canceled'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** fulfill: an extension is ready as soon as it is paid. provision: provisioning of the order's Macs has begun. */
export type OrderEvent = 'pay' | 'fulfill' | 'provision' | 'ready' | 'expire' | 'cancel';

const nowhere: Readonly<Record<OrderEvent, null>> = {
  pay: null,
  fulfill: null,
  provision: null,
  ready: null,
  expire: null,
  cancel: null,
};

/** The status that each event leads to from each status; null: not allowed. */
export const orderTransitions: Readonly<Record<OrderStatus, Readonly<Record<OrderEvent, OrderStatus | null>>>> = {
  awaiting_payment: { ...nowhere, pay: 'paid', expire: 'expired', cancel: 'canceled' },
  // cancel: no Mac can be provided, so the order is refunded.
  paid: { ...nowhere, fulfill: 'ready', provision: 'provisioning', cancel: 'canceled' },
  provisioning: { ...nowhere, ready: 'ready', cancel: 'canceled' },
  ready: nowhere,
  expired: nowhere,
  canceled: nowhere,
};

/** Returns whether the status is final: ready, expired or canceled. */
export function hasSettled(status: OrderStatus): boolean {
  return status === 'ready' || status === 'expired' || status === 'canceled';
}

/** payment_failed: the payment that came did not match it or had no consent; it is refunded. */
export const orderEndReasons = [
  'expired',
  'canceled_by_person',
  'payment_failed',
  'no_capacity',
  'refunded_by_operator',
] as const;
export type OrderEndReason = (typeof orderEndReasons)[number];

export const orderKinds = ['rental', 'extension'] as const;
export type OrderKind = (typeof orderKinds)[number];

/** One Mac of an extension. */
export interface ExtensionItem {
  readonly rentalId: string;
  readonly tier: string;
  readonly amountWon: number;
  /** Refunded, and its time was removed. */
  readonly refunded: boolean;
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Reads the stored setup of an order. */
export function readSetup(value: unknown): { readonly xcode: string | null } {
  const xcode = field(value, 'xcode');
  return { xcode: typeof xcode === 'string' ? xcode : null };
}

function readItems(value: unknown): readonly ExtensionItem[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => ({
    rentalId: String(field(item, 'rentalId')),
    tier: String(field(item, 'tier')),
    amountWon: Number(field(item, 'amountWon')),
    refunded: field(item, 'refunded') === true,
  }));
}

export const orderFields = {
  orderNo: text(),
  accountId: int(),
  /** The API key that ordered; null: a person in the console. */
  keyId: text().orNull,
  kind: text<OrderKind>(),
  status: text<OrderStatus>().initially('awaiting_payment'),
  /** Null: Macs of several tiers, which only an extension can have. */
  tier: text().orNull,
  /** Of each Mac. */
  hours: int(),
  units: int(),
  amountWon: int(),
  /** Null: as soon as it is paid. */
  startAt: int().orNull,
  setup: json(readSetup),
  /** Names requested for its new Macs, as many as `units`; empty: numbered ones. Held until it is paid. */
  names: strings().initially([]),
  /** Macs that an extension extends; empty for a rental order. */
  items: json(readItems),
  payExpiresAt: int(),
  paidAt: int().orNull.initially(null),
  endedAt: int().orNull.initially(null),
  endReason: text<OrderEndReason>().orNull.initially(null),
  /** The refunded part of `amountWon`. */
  refundedWon: int().initially(0),
  /** When the last refund was decided. */
  refundedAt: int().orNull.initially(null),
  createdAt: int(),
};
export type Order = RecordOf<typeof orderFields>;
