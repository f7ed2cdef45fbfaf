// What can be paid: an order of Macs, or a top-up of credit.

export const payableKinds = ['order', 'top_up'] as const;
export type PayableKind = (typeof payableKinds)[number];

export interface Payable {
  readonly kind: PayableKind;
  /** Also the payment id at the provider. */
  readonly orderNo: string;
  readonly accountId: number;
  readonly amountWon: number;
  /** Shown to the payer at the provider, e.g. `2 × M4 Pro, 48 h`. */
  readonly name: string;
  /** closed: paid, canceled or refunded. */
  readonly status: 'open' | 'expired' | 'closed';
  readonly payExpiresAt: number;
}

/** @example payableText({ kind: 'top_up', orderNo: 'TU-…' }) // 'top-up TU-…' */
export const payableText = ({ kind, orderNo }: Pick<Payable, 'kind' | 'orderNo'>): string =>
  `${kind === 'order' ? 'order' : 'top-up'} ${orderNo}`;
