// What providers tell us by themselves. A message says that something has changed, never what: that a look tells.
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Transaction } from '../../platform/store/sql.js';
import { findOrderOfAnyAccount } from '../../renting/app/order-lookup.js';
import type { Payment } from '../domain/payment.js';
import type { PaymentProvider } from '../providers/provider.js';
import { expediteCancellations } from '../store/payment-cancellations.js';
import { expediteLook, findPayment, openPayment } from '../store/payments.js';
import type { LookDeps } from './payment-looks.js';
import { blockPayments, wakeForPayment } from './payment-settlement.js';

export interface PaymentWebhooks {
  /**
   * Takes in one message; when this resolves, what it asks for survives a crash. A message about a payment that is
   * not ours, or of a kind we do not know, is well received too.
   *
   * Throws invalid_request when it was not signed by the provider, or more than five minutes ago.
   */
  receive(
    body: Buffer,
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): Promise<void>;
}

export function createPaymentWebhooks(
  deps: Pick<LookDeps, 'store' | 'clock' | 'wake' | 'mail'>,
  provider: PaymentProvider,
): PaymentWebhooks {
  const { store, clock } = deps;

  /** Something is paid for an order of which nobody has begun to pay: it has to be looked at, to go back. */
  const unbidden = async (tx: Transaction, orderNo: string): Promise<Payment | null> => {
    const order = await findOrderOfAnyAccount(tx, orderNo);
    if (!order) return null;
    const now = clock.now();
    const { accountId, amountWon } = order;
    return openPayment(tx, { orderNo, accountId, amountWon, provider: provider.name, lookAt: now, now });
  };

  return {
    async receive(body, headers) {
      const message = provider.readWebhook(body, headers);
      if (message.kind === 'refused') {
        throw new ApiError('invalid_request', {
          message: `The message was not signed by the provider just now: ${message.header}.`,
          detail: { fields: [message.header] },
        });
      }
      if (message.kind === 'ignored') return;
      const { orderNo, disputed } = message;
      await store.transaction(async (tx) => {
        const payment = (await findPayment(tx, orderNo)) ?? (await unbidden(tx, orderNo));
        if (payment?.provider !== provider.name) return;
        await expediteLook(tx, orderNo, clock.now());
        await expediteCancellations(tx, orderNo, clock.now());
        if (disputed) await blockPayments(tx, deps, payment);
        wakeForPayment(tx, deps, payment);
      });
    },
  };
}
