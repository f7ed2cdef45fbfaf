// A payment of an order at a provider, and money that goes back. Amounts are integer won, times are ms.

export const paymentProviders = ['approval', 'sandbox', 'portone'] as const;
export type PaymentProviderName = (typeof paymentProviders)[number];

/**
 * pending: nothing has been charged that we know of. confirming: the provider has been asked and has not answered
 * for certain. late: it was paid when the order could not be paid any more; all of it goes back.
 */
export const paymentStatuses = ['pending', 'confirming', 'paid', 'late', 'failed', 'cancelled'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export interface Payment {
  readonly orderNo: string;
  readonly accountId: number;
  readonly provider: PaymentProviderName;
  readonly status: PaymentStatus;
  readonly amountWon: number;
  /** The provider's transaction id. */
  readonly txId: string | null;
  readonly method: string | null;
  readonly receiptUrl: string | null;
  /** Why the last attempt failed; the order stays payable. */
  readonly failureCode: string | null;
  readonly paidAt: number | null;
  readonly cancelledWon: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}
